"""Well-known logs of the Parallel Workloads Archive: names, files, sizes, checksums.

Checksums are those of copies that Packwise was tested with; ``None`` means that the first download
is trusted and its checksum recorded beside the file. ``jobs`` counts lines, before cleaning.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class ArchivedLog(NamedTuple):
    """One log: where it is below the archive's address, and what it holds."""

    system: str
    file: str
    procs: int
    jobs: int | None
    period: str
    sha256: str | None = None

    @property
    def file_name(self) -> str:
        """Name of the file without its folder."""
        return self.file.rsplit("/", 1)[-1]


CATALOGUE: Final[dict[str, ArchivedLog]] = {
    "nasa-ipsc": ArchivedLog(
        "NASA Ames iPSC/860",
        "l_nasa_ipsc/NASA-iPSC-1993-3.1-cln.swf.gz",
        128,
        18239,
        "Oct 1993 to Dec 1993",
    ),
    "lanl-cm5": ArchivedLog(
        "Los Alamos CM-5",
        "l_lanl_cm5/LANL-CM5-1994-4.1-cln.swf.gz",
        1024,
        122060,
        "Oct 1994 to Sep 1996",
        "71ff3dfa301b3ee1bd30ebc63c5363b5e8ec488e75f1f9398aa46d485ef23c3c",
    ),
    "sdsc-par95": ArchivedLog(
        "San Diego Paragon, 1995",
        "l_sdsc_par/SDSC-Par-1995-3.1-cln.swf.gz",
        416,
        None,
        "Jan 1995 to Dec 1995",
    ),
    "sdsc-par96": ArchivedLog(
        "San Diego Paragon, 1996",
        "l_sdsc_par/SDSC-Par-1996-3.1-cln.swf.gz",
        416,
        None,
        "Jan 1996 to Dec 1996",
    ),
    "ctc-sp2": ArchivedLog(
        "Cornell Theory Center SP2",
        "l_ctc_sp2/CTC-SP2-1996-3.1-cln.swf.gz",
        338,
        77222,
        "Jun 1996 to May 1997",
        "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
    ),
    "llnl-t3d": ArchivedLog(
        "Lawrence Livermore Cray T3D",
        "l_llnl_t3d/LLNL-T3D-1996-2.swf.gz",
        256,
        21323,
        "Jun 1996 to Sep 1996",
    ),
    "kth-sp2": ArchivedLog(
        "KTH Stockholm SP2",
        "l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz",
        100,
        28476,
        "Sep 1996 to Aug 1997",
        "3e152f201fd2e96808a735bced6ea6eb0bb07fdc447689cafb0750d87b264c0b",
    ),
    "sdsc-sp2": ArchivedLog(
        "San Diego SP2",
        "l_sdsc_sp2/SDSC-SP2-1998-4.2-cln.swf.gz",
        128,
        59715,
        "Apr 1998 to Apr 2000",
        "e03fe48be50c4ab04d6bb2285296d9c3399e9c1f27ee79b754ad32a14abd9bac",
    ),
    "lanl-o2k": ArchivedLog(
        "Los Alamos Origin 2000 (Nirvana)",
        "l_lanl_o2k/LANL-O2K-1999-2.swf.gz",
        2048,
        None,
        "Nov 1999 to Apr 2000",
    ),
    "osc": ArchivedLog(
        "Ohio Supercomputer Center cluster",
        "l_osc/OSC-Clust-2000-3.1-cln.swf.gz",
        178,
        None,
        "Jan 2000 to Nov 2001",
    ),
    "sdsc-blue": ArchivedLog(
        "San Diego Blue Horizon",
        "l_sdsc_blue/SDSC-BLUE-2000-4.2-cln.swf.gz",
        1152,
        243306,
        "Apr 2000 to Jan 2003",
        "9aab21f3cfa108f3ecefa52391b384d996dcf4216f920186f47a734646b2c658",
    ),
    "sandia-ross": ArchivedLog(
        "Sandia Ross (CPlant)",
        "l_sandia_ross/Sandia-Ross-2001-1.1-cln.swf.gz",
        1524,
        57882,
        "Nov 2001 to Jan 2005",
        "08b390c160c41c5d3a70d66c48884b5bb68aa277506988ccdc408913342b38df",
    ),
    "hpc2n": ArchivedLog(
        "HPC2N Seth, Umeå",
        "l_hpc2n/HPC2N-2002-2.2-cln.swf.gz",
        240,
        202871,
        "Jul 2002 to Jan 2006",
        "3c534857d6065cfd9cc35aac8d064c9c17172be7acf336de835006f43a626e64",
    ),
    "das2-fs0": ArchivedLog(
        "DAS-2, Vrije Universiteit Amsterdam",
        "l_das2/DAS2-fs0-2003-1.swf.gz",
        144,
        225711,
        "Jan 2003 to Dec 2003",
    ),
    "sdsc-ds": ArchivedLog(
        "San Diego DataStar",
        "l_sdsc_ds/SDSC-DS-2004-2.1-cln.swf.gz",
        1664,
        96069,
        "Mar 2004 to Mar 2005",
        "0ddb885a96a7f5ee9009d8a36ef350b1d1c451044c205811938995aac80fcc36",
    ),
    "lpc-egee": ArchivedLog(
        "LPC Clermont-Ferrand (EGEE grid; serial jobs)",
        "l_lpc/LPC-EGEE-2004-1.2-cln.swf.gz",
        140,
        None,
        "Aug 2004 to May 2005",
    ),
    "llnl-ubgl": ArchivedLog(
        "Lawrence Livermore uBGL (BlueGene/L)",
        "l_llnl_ubgl/LLNL-uBGL-2006-2.swf.gz",
        2048,
        None,
        "Nov 2006 to Jun 2007",
    ),
    "llnl-atlas": ArchivedLog(
        "Lawrence Livermore Atlas",
        "l_llnl_atlas/LLNL-Atlas-2006-2.1-cln.swf.gz",
        9216,
        43778,
        "Nov 2006 to Jun 2007",
        "48cc83b7a0490252aa1ae41a4b03dd598bc0683e146be94047febee36e7e0b36",
    ),
    "llnl-thunder": ArchivedLog(
        "Lawrence Livermore Thunder",
        "l_llnl_thunder/LLNL-Thunder-2007-1.1-cln.swf.gz",
        4008,
        121039,
        "Jan 2007 to Jun 2007",
        "00d9bce501efd3a23cd0713bbae591516b7a69217d5f4b851725f601f3b75247",
    ),
    "anl-intrepid": ArchivedLog(
        "Argonne Intrepid (Blue Gene/P)",
        "l_anl_int/ANL-Intrepid-2009-1.swf.gz",
        163840,
        68936,
        "Jan 2009 to Sep 2009",
    ),
    "metacentrum": ArchivedLog(
        "MetaCentrum, Czech national grid",
        "l_metacentrum/METACENTRUM-2009-2.swf.gz",
        806,
        None,
        "Jan 2009 to Jun 2009",
    ),
    "pik-iplex": ArchivedLog(
        "Potsdam Institute for Climate Impact Research iDataPlex",
        "l_pik_iplex/PIK-IPLEX-2009-1.swf.gz",
        2560,
        742964,
        "Apr 2009 to Jul 2012",
    ),
    "ricc": ArchivedLog(
        "RIKEN Integrated Cluster of Clusters",
        "l_ricc/RICC-2010-2.swf.gz",
        8192,
        447794,
        "Apr 2010 to Sep 2010",
        "38b7c5c9843d9a9f3d61a2d8b927f6d39b68b368fb713886b5f2ce3499f2ec82",
    ),
    "cea-curie": ArchivedLog(
        "CEA Curie",
        "l_cea_curie/CEA-Curie-2011-2.1-cln.swf.gz",
        93312,
        312826,
        "Feb 2012 to Oct 2012",
        "2a0fdbd40837590b491bbbac7d4cfe521de1f0b14c0dc39bbf82c4e49ea75bce",
    ),
    "unilu-gaia": ArchivedLog(
        "University of Luxembourg Gaia",
        "l_unilu_gaia/UniLu-Gaia-2014-2.swf.gz",
        2004,
        51987,
        "May 2014 to Aug 2014",
    ),
    "kit-fh2": ArchivedLog(
        "Karlsruhe ForHLR II",
        "l_kit_fh2/KIT-FH2-2016-1.swf.gz",
        24048,
        114355,
        "Jun 2016 to Jan 2018",
    ),
}
