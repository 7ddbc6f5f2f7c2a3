"""When will a waiting job start? Many futures of one queue, replayed; quantiles of the starts, calibrated on
what forecasts were worth so far; and what a job could do without to start sooner.
"""

from packwise.forecasting.arrivals import Arrivals
from packwise.forecasting.backtest import Backtest, backtest
from packwise.forecasting.calibration import Calibration
from packwise.forecasting.changes import Change, changes
from packwise.forecasting.forecast import Forecast, StartForecast, forecast_starts
from packwise.forecasting.futures import Futures, draw_futures
from packwise.forecasting.history import History
from packwise.forecasting.run_times import RunTimes
from packwise.forecasting.situation import Situation

__all__ = [
    "Arrivals",
    "Backtest",
    "Calibration",
    "Change",
    "Forecast",
    "Futures",
    "History",
    "RunTimes",
    "Situation",
    "StartForecast",
    "backtest",
    "changes",
    "draw_futures",
    "forecast_starts",
]
