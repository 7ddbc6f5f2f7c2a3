"""Who goes next: one idea per file."""

from packwise.policies.conservative import ConservativePolicy as ConservativePolicy
from packwise.policies.deadline_backfilling import DeadlinePolicy as DeadlinePolicy
from packwise.policies.list_scheduling import ListPolicy as ListPolicy
from packwise.policies.orders import Order as Order
from packwise.policies.orders import order_key as order_key
