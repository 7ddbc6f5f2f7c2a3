"""The guard: a submit plugin in Lua, which keeps users from naming the reservation of drive themselves."""

from __future__ import annotations

import re

from packwise.model.errors import InputError

_TEXT = """\
-- job_submit.lua: keeps the reservation '{reservation}' for Packwise (packwise slurm drive).
-- Put it beside slurm.conf, add JobSubmitPlugins=lua there, and say: scontrol reconfigure
-- If you have a job_submit.lua already, keep this as packwise_guard.lua, load it at the top of yours,
--    dofile("/etc/slurm/packwise_guard.lua")
-- and begin both functions of yours, below that, with the lines that those here have.

local RESERVATION = "{reservation}"
local ALLOWED = {{ [0] = true, [{uid}] = true }} -- root, and the account of Packwise

function packwise_guard(job, uid)
   if ALLOWED[uid] or job.reservation == nil then
      return true
   end
   for name in string.gmatch(job.reservation, "[^,%s]+") do
      if name == RESERVATION then
         slurm.log_user("The reservation '" .. RESERVATION .. "' is given to jobs by the scheduler. " ..
                        "Submit without --reservation: your job takes part by itself.")
         return false
      end
   end
   return true
end

function slurm_job_submit(job_desc, part_list, submit_uid)
   if not packwise_guard(job_desc, submit_uid) then
      return slurm.ERROR
   end
   return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
   if not packwise_guard(job_desc, modify_uid) then
      return slurm.ERROR
   end
   return slurm.SUCCESS
end

return slurm.SUCCESS
"""


def guard_text(reservation: str, uid: int) -> str:
    """The plugin for a reservation, and for the account that may let jobs into it."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,30}", reservation) or not 0 <= uid < 2**32:
        raise InputError(
            f"a guard needs the name of a reservation and a user id, found '{reservation}' and {uid}."
        )
    return _TEXT.format(reservation=reservation, uid=uid)
