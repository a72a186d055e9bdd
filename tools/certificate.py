#!/usr/bin/env python3
"""Makes the certificate of a deal from its exported events, and compares it with the service's.

    certificate.py events.ndjson                          prints the certificate
    certificate.py --verify certificate.txt events.ndjson compares it, byte for byte
    certificate.py < events.ndjson                        reads the standard input

The events come from `GET /auditors/deals/<deal>/events`, line by line. docs/certificate.md explains the format and each rule.
This program shares nothing with the service: it reads the lines and needs only Python 3.9 or later.

Exit codes: 0 the deal is sound (and the certificates are equal), 1 a rule is broken, 2 the certificates differ, or the events
cannot be used.
"""

import argparse
import hashlib
import json
import re
import sys
from datetime import datetime, timezone

EXPORT_FORMAT = "holdfast-deal-events/v1"
CERTIFICATE_FORMAT = "holdfast-certificate/v1"
RULES = (
    "order", "time", "causes", "numbers", "units", "limits", "terms", "codes", "coupons", "money", "accounts",
)
SALE_KINDS = ("claims", "late claims", "by card", "by resellers")
MOST_NAMED = 100
MAY_COME_FOR = 60_000
CLOCKS_APART = 20_000
HOLD_LASTS = 300_000
LONGEST_HOLD = HOLD_LASTS + 10_000
TOKEN_HOLD_UNITS = 10
MOST_UNITS = 1_000
DAY = 86_400_000
SAFE = 2**53 - 1
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z")


class Unusable(Exception):
    """The events cannot be used."""


# Values. Somebody may have changed the log, so nothing of an event is taken for granted.


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def integer(value):
    """An integer, and 0 for anything else."""
    if not is_number(value) or value != value or value in (float("inf"), float("-inf")):
        return 0
    return int(value) if int(value) == value and abs(value) <= SAFE else 0


def text(value):
    return value if isinstance(value, str) else ""


def obj(value):
    return value if isinstance(value, dict) else {}


def objects(value):
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def texts(value):
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def instant(value):
    """Milliseconds since 1970, and 0 for what is no time."""
    if not isinstance(value, str) or TIME.fullmatch(value) is None:
        return 0
    try:
        at = datetime.strptime(value[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    except ValueError:
        return 0
    since = at - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (since.days * 86_400 + since.seconds) * 1_000 + (int(value[20:23]) if len(value) == 24 else 0)


def same(one, other):
    """Whether two values of JSON are the same; a missing one is null."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def same_fields(one, other, *names):
    return all(same(one.get(name), other.get(name)) for name in names)


def limit(value):
    """A maximum; None for no maximum."""
    return integer(value) if is_number(value) else None


def expiry(terms, now):
    """When coupons expire that are sold now; 0 for never."""
    days = terms.get("expiration_days")
    return now + integer(days) * DAY if is_number(days) else instant(terms.get("expires_at"))


def print_of(*parts):
    """64 bits that stand for texts."""
    return int.from_bytes(hashlib.sha256(" ".join(parts).encode()).digest()[:8], "big")


class Event:
    """A line of the export that is an event."""

    __slots__ = ("position", "stream", "revision", "type", "time", "at", "actor", "cause", "correlation", "data")

    def __init__(self, line):
        self.position = int(line["position"])
        self.stream = line["stream"]
        self.revision = line["revision"]
        self.type = line["type"]
        self.time = line["time"]
        self.at = instant(line["time"])
        self.actor = line["actor"]
        self.cause = line["cause"]
        self.correlation = line["correlation"]
        self.data = obj(line["data"])

    @property
    def place(self):
        return f"{self.stream}@{self.revision}"

    def get(self, name):
        return self.data.get(name)

    def is_decision(self):
        """Whether it has the time of a clock: what follows from an event of another stream has that event's time."""
        if self.cause is None:
            return True
        stream, _, revision = self.cause.rpartition("@")
        return stream == self.stream and re.fullmatch(r"[0-9]{1,15}", revision) is not None and int(revision) < self.revision


class Findings:
    """The first findings by position, and how many there are."""

    def __init__(self):
        self.found = []
        self.total = 0

    def add(self, position, place, rule, words):
        self.total += 1
        self.found.append((position, place, RULES.index(rule), words))
        if len(self.found) > 20 * MOST_NAMED:
            self.found = self.first()

    def first(self):
        return sorted(self.found)[:MOST_NAMED]

    def lines(self, word):
        first = self.first()
        for position, place, rule, words in first:
            yield f"{word} {position} {place} {RULES[rule]}: {words}"
        if self.total > len(first):
            yield f"{word} and {self.total - len(first)} more"


class Faults:
    """What breaks a rule, and what may only be unfinished."""

    def __init__(self, now):
        self.now = now
        self.broken = Findings()
        self.waiting = Findings()
        self.of = dict.fromkeys(RULES, 0)

    def at(self, position, place, rule, words):
        self.of[rule] += 1
        self.broken.add(position, place, rule, words)

    def add(self, event, rule, words):
        self.at(event.position, event.place, rule, words)

    def missing(self, event, words):
        self.missing_at(event.position, event.place, event.at, words)

    def missing_at(self, position, place, at, words):
        if at > self.now - MAY_COME_FOR:
            self.waiting.add(position, place, "accounts", words)
        else:
            self.at(position, place, "accounts", words)

    def follows(self, follower, decision):
        """Rule causes: what follows has the time, the actor and the request of its cause."""
        cause = decision.place
        if follower.cause != cause:
            self.add(follower, "causes", f"its cause is not {cause}")
            return
        for name in ("time", "actor", "correlation"):
            if getattr(follower, name) != getattr(decision, name):
                self.add(follower, "causes", f"its {name} is not that of its cause {cause}")

    def decides(self, event):
        if not event.is_decision():
            self.add(event, "causes", "its cause is not an earlier event of its stream")


class Order:
    """Rules order and time: one stream's revisions, positions and times."""

    def __init__(self, faults):
        self.faults = faults
        self.revision, self.position, self.time = -1, -1, 0

    def take(self, event):
        if event.revision > self.revision + 1:
            self.faults.add(event, "order", "events of its stream before it are missing")
        if event.revision <= self.revision:
            self.faults.add(event, "order", "its revision is not above the one before it")
        if event.position <= self.position:
            self.faults.add(event, "order", "its position is not above that of the event before it")
        self.revision, self.position = event.revision, event.position
        if event.is_decision():
            if event.at < self.time - CLOCKS_APART:
                self.faults.add(event, "time", "it is earlier than a decision before it")
            self.time = max(self.time, event.at)


class Group:
    """The streams that belong to one event of the inventory."""

    def __init__(self, faults):
        self.faults = faults
        self.streams = {}
        self.unreadable = set()
        self.taken = set()
        self.last = None
        self.order = None

    def add(self, event):
        if event.stream != self.last:
            if event.stream in self.streams:
                self.faults.add(event, "order", "its stream comes in two parts")
            self.order = Order(self.faults)
            self.last = event.stream
        self.order.take(event)
        # It may stand anywhere in a purchase, and says nothing of units and money.
        if event.type == "purchase-buyer-erased.v1":
            return
        self.streams.setdefault(event.stream, []).append(event)

    def is_empty(self):
        return not self.streams and not self.unreadable

    def take(self, stream):
        self.taken.add(stream)
        return self.streams.get(stream, [])

    def rest(self):
        return [events[0] for stream, events in self.streams.items() if stream not in self.taken]


class Start:
    """A hold, a checkout or a resale that nothing has closed."""

    ID = {"hold": "reservation_id", "checkout": "purchase_id", "resale": "resale_id"}

    def __init__(self, kind, event):
        self.kind = kind
        self.event = event
        self.number = integer(event.get("number"))
        self.quantity = integer(event.get("quantity"))
        self.id = text(event.get(self.ID[kind]))

    @property
    def purchase(self):
        return "purchase-" + (self.id if self.kind == "checkout" else text(self.event.get("purchase_id")))


class Totals:
    """What the certificate adds up."""

    def __init__(self):
        self.events = self.released = self.expired = self.undone = self.returned = self.partners = 0
        self.sales = {kind: [0, 0, 0] for kind in SALE_KINDS}
        self.coupons = dict.fromkeys(("issued", "redeemed", "cancelled", "reissued"), 0)
        self.money = dict.fromkeys(("charged", "returned", "due", "refused", "voided"), 0)


class Codes:
    """Rule codes: each code of the pool is given once."""

    def __init__(self, faults):
        self.faults = faults
        self.first = {}
        self.known = set()
        self.prints = []
        self.given = bytearray()
        self.last = None
        self.left = 0

    def add(self, event):
        codes = texts(event.get("codes"))
        if not same(event.get("revision"), event.revision):
            self.faults.add(event, "codes", "it names another revision than its own")
        if not same(event.get("previous"), self.last):
            self.faults.add(event, "codes", "it names another event as the one with codes before")
        self.last = event.revision
        self.first[event.revision] = (len(self.prints), len(codes))
        for index, code in enumerate(codes):
            mark = print_of(code)
            if mark in self.known:
                self.faults.add(event, "codes", f"the pool had its code {index} before")
            self.known.add(mark)
            self.prints.append(mark)
            self.given.append(0)
        self.left += len(codes)
        return len(codes)

    def number(self, code):
        begin, count = self.first.get(integer(code.get("revision")), (0, 0))
        index = integer(code.get("index")) if is_number(code.get("index")) else -1
        return begin + index if 0 <= index < count else None

    def give(self, event):
        coupons = objects(event.get("coupons"))
        due = min(len(coupons), self.left)
        given = 0
        for coupon in coupons:
            if coupon.get("code") is None:
                continue
            given += 1
            code = obj(coupon["code"])
            number = self.number(code)
            if number is None:
                self.faults.add(event, "codes", "it gives a code that no event has added")
            elif self.given[number]:
                where = f"code {integer(code.get('index'))} of revision {integer(code.get('revision'))}"
                self.faults.add(event, "codes", f"it gives {where} again")
            else:
                self.given[number] = 1
        if given != due:
            self.faults.add(event, "codes", "it does not give a code to each unit, as far as there are codes")
        self.left -= given
        return given

    def take_back(self, coupons):
        for coupon in coupons:
            if coupon.get("code") is None:
                continue
            self.left += 1
            number = self.number(obj(coupon["code"]))
            if number is not None:
                self.given[number] = 0

    def is_text_of(self, code, redemption_code):
        if code is None:
            return redemption_code is None
        number = self.number(obj(code))
        return number is not None and isinstance(redemption_code, str) and self.prints[number] == print_of(redemption_code)


class Limits:
    """Rule limits: nobody gets more units than the deal allows."""

    def __init__(self, faults):
        self.faults = faults
        self.bought = {}
        self.charging = {}
        self.held = {}
        self.most = 0

    def held_by(self, user, now):
        return sum(quantity for _, quantity, deadline in self.held.get(user, ()) if now < deadline)

    def check(self, event, user, quantity, most):
        if most is None:
            return
        has = self.bought.get(print_of(user), 0) + self.charging.get(user, 0) + self.held_by(user, event.at)
        if has + quantity > most:
            self.faults.add(event, "limits", "a user has more units than the deal allows")

    def add(self, user, quantity):
        mark = print_of(user)
        self.bought[mark] = self.bought.get(mark, 0) + quantity
        self.most = max(self.most, self.bought[mark])

    def quantity(self, event, most):
        if not 1 <= integer(event.get("quantity")) <= min(MOST_UNITS if most is None else most, MOST_UNITS):
            self.faults.add(event, "limits", "one buyer may not have so many units")

    def hold(self, event, holder, most):
        units = integer(event.get("quantity"))
        if self.held_by(holder, event.at) + units > TOKEN_HOLD_UNITS:
            self.faults.add(event, "limits", f"a user holds more than {TOKEN_HOLD_UNITS} units by access tokens")
        self.check(event, holder, units, most)
        held = (integer(event.get("number")), units, instant(event.get("deadline")))
        self.held.setdefault(holder, []).append(held)

    def let_go(self, holder, number):
        others = [each for each in self.held.pop(holder, ()) if each[0] != number]
        if others:
            self.held[holder] = others

    def sell(self, event, most):
        user, quantity = text(event.get("user_id")), integer(event.get("quantity"))
        self.check(event, user, quantity, most)
        self.add(user, quantity)

    def start_charge(self, event, most):
        user, quantity = text(event.get("user_id")), integer(event.get("quantity"))
        self.quantity(event, most)
        self.check(event, user, quantity, most)
        if user in self.charging:
            self.faults.add(event, "limits", "another purchase of the user is being charged")
        self.charging[user] = quantity

    def end_charge(self, user, quantity, is_sold):
        self.charging.pop(user, None)
        if is_sold:
            self.add(user, quantity)


class Terms:
    """Rule terms: the terms are the deal's, and each sale keeps to those of its moment."""

    def __init__(self, faults):
        self.faults = faults
        self.deal = {}
        self.terms = {}
        self.revision = -1

    @property
    def most(self):
        return limit(self.terms.get("max_per_user"))

    def take_deal(self, event):
        self.faults.decides(event)
        self.deal[event.revision] = event

    def set(self, event):
        terms = obj(event.get("terms"))
        revision = integer(obj(terms.get("deal")).get("revision"))
        source = self.deal.get(revision)
        if revision <= self.revision:
            self.faults.add(event, "terms", "its terms are not newer than those before")
        if source is None:
            self.faults.add(event, "accounts", f"the deal has no event with revision {revision}")
        else:
            self.faults.follows(event, source)
            if not self.are_of(terms, source.data):
                self.faults.add(event, "terms", f"its terms are not those of {source.place}")
        self.deal = {each: other for each, other in self.deal.items() if each > revision}
        self.terms = terms
        self.revision = revision

    @staticmethod
    def are_of(terms, data):
        deal, shown = obj(data.get("attributes")), obj(terms.get("deal"))
        sells = text(deal.get("type")) in ("daily-deal", "on-going")
        return (
            shown.get("id") == data.get("deal_id")
            and same_fields(shown, deal, "title", "type", "image")
            and same_fields(terms, deal, "start_at", "end_at", "max_per_user", "expires_at", "expiration_days")
            and integer(terms.get("price")) == integer(deal.get("current_price"))
            and terms.get("on_sale") is (sells and data.get("state") in ("approved", "in-flight"))
        )

    def start(self, event):
        if not same(event.get("price"), self.terms.get("price")):
            self.faults.add(event, "terms", "its price is not that of the terms")
        if not same(event.get("deal"), self.terms.get("deal")):
            self.faults.add(event, "terms", "its deal is not that of the terms")
        self.sells(event)

    def sells(self, event):
        begin, end = instant(self.terms.get("start_at")), instant(self.terms.get("end_at"))
        if self.terms.get("on_sale") is not True or not begin <= event.at < end:
            self.faults.add(event, "terms", "the deal does not sell at its time")

    def expiry(self, event):
        if not same_fields(event.data, self.terms, "expires_at", "expiration_days"):
            self.faults.add(event, "terms", "its expiry is not that of the terms")

    def sale(self, event):
        if instant(event.get("coupons_expire_at")) != expiry(self.terms, event.at):
            self.faults.add(event, "terms", "its coupons do not expire as the terms say")

    def end(self):
        for revision, event in self.deal.items():
            if revision > self.revision:
                self.faults.missing(event, "the inventory has not set its terms")


class Inventory:
    """The events of a deal's inventory by themselves."""

    def __init__(self, faults, terms, totals):
        self.faults, self.terms, self.totals = faults, terms, totals
        self.codes, self.limits = Codes(faults), Limits(faults)
        self.stock, self.held, self.sold, self.unsold = None, 0, 0, None
        self.open = {}
        self.ended, self.sold_numbers, self.sold_units = set(), set(), set()
        self.next, self.next_unit = 0, 0
        self.due = {}

    def take(self, event):
        """Returns what an event closes: the start, and the kind of its sale."""
        take = {
            "terms-set.v1": self.terms.set,
            "stock-set.v1": self.set_stock,
            "codes-added.v1": self.add_codes,
            "hold-placed.v1": self.hold,
            "checkout-started.v1": lambda each: self.start(each, "checkout"),
            "resale-started.v1": lambda each: self.start(each, "resale"),
            "hold-released.v1": self.end_hold,
            "hold-expired.v1": self.end_hold,
            "hold-claimed.v1": self.claim,
            "units-sold.v1": self.sell_again,
            "checkout-sold.v1": lambda each: self.end(each, "checkout", "by card"),
            "checkout-undone.v1": lambda each: self.end(each, "checkout", None),
            "resale-sold.v1": lambda each: self.end(each, "resale", "by resellers"),
            "resale-undone.v1": lambda each: self.end(each, "resale", None),
            "unit-returned.v1": self.give_back,
        }.get(event.type)
        if take is None:
            self.faults.add(event, "order", "no event of an inventory has its type")
            return None
        return take(event)

    def compare(self, event, left=None):
        """Rule units: what an event says is what the facts add up to, and never more than the stock."""
        left = self.unsold if left is None else left
        facts = (("stock", self.stock), ("codes_left", None if left is None else max(left, 0)))
        for name, fact in facts:
            if not same(event.get(name), fact):
                self.faults.add(event, "units", f"{name} is not what the facts add up to")
        for name, fact in (("held", self.held), ("sold", self.sold)):
            if integer(event.get(name)) != fact:
                self.faults.add(event, "units", f"{name} is not what the facts add up to")
            if fact < 0 or integer(event.get(name)) < 0:
                self.faults.add(event, "units", f"{name} is below 0")
        if self.stock is not None and self.held + self.sold > self.stock:
            self.faults.add(event, "units", "held and sold are more than the stock")

    def set_stock(self, event):
        self.faults.decides(event)
        self.stock = limit(event.get("stock"))
        self.compare(event)

    def add_codes(self, event):
        self.faults.decides(event)
        self.unsold = (self.unsold or 0) + self.codes.add(event)
        self.compare(event)

    def begin(self, event, kind):
        start = Start(kind, event)
        if start.number != self.next:
            self.faults.add(event, "numbers", "its number is not the next one")
        self.next = max(self.next, start.number) + 1
        self.open[start.number] = start
        return start

    def number_units(self, event):
        coupons = objects(event.get("coupons"))
        if len(coupons) != integer(event.get("quantity")):
            self.faults.add(event, "coupons", "it does not have one coupon for each unit")
        for coupon in coupons:
            unit = coupon.get("unit")
            if not same(unit, self.next_unit):
                words = "a unit does not have the next number: it was given before, or left out"
                self.faults.add(event, "numbers", words)
            self.next_unit = max(self.next_unit, integer(unit)) + 1

    def sell_units(self, event, coupons):
        for coupon in objects(coupons):
            unit = integer(coupon.get("unit"))
            if unit in self.sold_units:
                self.faults.add(event, "numbers", "a unit is sold that was sold before")
            self.sold_units.add(unit)

    def hold(self, event):
        self.faults.decides(event)
        start = self.begin(event, "hold")
        most, holder = self.terms.most, text(event.get("holder_id"))
        self.terms.start(event)
        if limit(event.get("max_per_user")) != most:
            self.faults.add(event, "terms", "its maximum is not that of the terms")
        if instant(event.get("deadline")) != event.at + HOLD_LASTS:
            self.faults.add(event, "time", "its deadline is not 300 seconds later")
        self.limits.quantity(event, most)
        if holder:
            self.limits.hold(event, holder, most)
        self.held += start.quantity
        self.compare(event)

    def start(self, event, kind):
        self.faults.decides(event)
        start = self.begin(event, kind)
        self.number_units(event)
        self.terms.start(event)
        self.terms.expiry(event)
        if kind == "checkout":
            self.limits.start_charge(event, self.terms.most)
        else:
            self.limits.quantity(event, self.terms.most)
        self.codes.give(event)
        self.held += start.quantity
        self.compare(event)

    def close(self, event, kind, is_sold):
        number = integer(event.get("number"))
        start = self.open.get(number)
        if start is None or start.kind != kind:
            self.faults.add(event, "numbers", f"it ends a {kind} that is not open")
            return None
        del self.open[number]
        (self.sold_numbers if is_sold else self.ended).add(number)
        own = event.get("purchase_id" if event.type == "hold-claimed.v1" else Start.ID[kind])
        if own != start.id:
            self.faults.add(event, "numbers", f"its id is not that of the {kind} with its number")
        if integer(event.get("quantity")) != start.quantity:
            self.faults.add(event, "numbers", f"its quantity is not that of the {kind} with its number")
        self.held -= start.quantity
        holder = text(start.event.get("holder_id"))
        if kind == "hold" and holder:
            self.limits.let_go(holder, start.number)
        return start

    def end_hold(self, event):
        self.faults.decides(event)
        start = self.close(event, "hold", False)
        if start is not None:
            deadline = instant(start.event.get("deadline"))
            is_over = event.at >= deadline
            if event.type == "hold-released.v1":
                self.totals.released += start.quantity
                if is_over:
                    self.faults.add(event, "time", "the hold had run out before it was released")
            else:
                self.totals.expired += start.quantity
                if not is_over and deadline <= event.at + LONGEST_HOLD:
                    self.faults.add(event, "time", "the hold had not run out")
        self.compare(event)
        return start, None

    def claim(self, event):
        self.faults.decides(event)
        start = self.close(event, "hold", True)
        most = self.terms.most
        if start is not None:
            own, holder = limit(start.event.get("max_per_user")), text(start.event.get("holder_id"))
            most = None if most is None or own is None else max(most, own)
            if event.at >= instant(start.event.get("deadline")):
                self.faults.add(event, "time", "the hold had run out")
            if holder and holder != event.get("user_id"):
                self.faults.add(event, "limits", "it sells to another user than the one who holds the units")
        self.sell(event, most)
        return start, "claims"

    def sell_again(self, event):
        self.faults.decides(event)
        number = integer(event.get("number"))
        if number not in self.ended or number in self.sold_numbers:
            self.faults.add(event, "numbers", "it sells for a hold that has not ended, or was sold")
        self.sold_numbers.add(number)
        self.terms.sells(event)
        self.sell(event, self.terms.most)
        return None, "late claims"

    def sell(self, event, most):
        self.terms.sale(event)
        self.limits.sell(event, most)
        self.number_units(event)
        self.sell_units(event, event.get("coupons"))
        quantity = integer(event.get("quantity"))
        self.sold += quantity
        before = self.unsold
        given = self.codes.give(event)
        if before is not None:
            self.unsold = before - given
        self.compare(event, None if before is None else before - quantity)

    def end(self, event, kind, sale):
        start = self.close(event, kind, sale is not None)
        if start is not None:
            coupons = start.event.get("coupons")
            if kind == "checkout":
                self.limits.end_charge(text(start.event.get("user_id")), start.quantity, sale is not None)
            if sale is None:
                self.totals.undone += start.quantity
                self.codes.take_back(objects(coupons))
            else:
                self.sell_units(event, coupons)
                self.sold += start.quantity
                if self.unsold is not None:
                    self.unsold -= sum(each.get("code") is not None for each in objects(coupons))
        self.compare(event)
        return start, sale

    @staticmethod
    def whose(event):
        names = ("coupon_id", "purchase_id", "user_id")
        return print_of(str(integer(event.get("unit"))), *(text(event.get(name)) for name in names))

    @staticmethod
    def why(cause, event):
        return print_of(cause, event.time, event.actor, event.correlation)

    def note_return(self, unit, cancelled):
        self.due[unit] = (self.whose(cancelled), self.why(cancelled.place, cancelled), cancelled.position, cancelled.at)

    def give_back(self, event):
        unit = integer(event.get("unit"))
        if unit not in self.sold_units:
            self.faults.add(event, "numbers", "it returns a unit that is not sold, or has returned")
        self.sold_units.discard(unit)
        due = self.due.pop(unit, None)
        if due is None:
            self.faults.add(event, "causes", "no cancelled coupon of the deal is its cause")
        else:
            if due[0] != self.whose(event):
                words = "its coupon, purchase or user is not that of the cancelled coupon of its unit"
                self.faults.add(event, "accounts", words)
            if due[1] != self.why(event.cause or "", event):
                words = "its cause, time, actor or correlation is not that of the cancelled coupon of its unit"
                self.faults.add(event, "causes", words)
        user = text(event.get("user_id"))
        if user:
            mark = print_of(user)
            self.limits.bought[mark] = self.limits.bought.get(mark, 0) - 1
        self.totals.returned += 1
        self.sold -= 1
        self.compare(event)

    def finish(self):
        for unit, (_, _, position, at) in self.due.items():
            self.faults.missing_at(position, f"unit {unit}", at, "its coupon is cancelled, and it has not returned")


class Sales:
    """What the inventory decided against the reservations, purchases and coupons that follow from it."""

    PLACED = ("number", "partner_id", "deal", "quantity", "price", "deadline", "holder_id")
    RECORDED = ("purchase_id", "partner_id", "user_id", "deal", "quantity", "price", "created_at")
    OPENED = (
        "purchase_id", "partner_id", "user_id", "deal", "quantity", "price", "coupons", "expires_at",
        "expiration_days", "credit_card_id", "shipping_address_id", "session_id", "takeover_at",
    )
    CHARGED = ("purchase_id", "partner_id", "user_id", "deal", "coupons", "amount")
    RESOLD = ("purchase_id", "resale_id", "partner_id", "deal", "quantity", "price", "coupons")
    KEPT = (
        "purchase_id", "partner_id", "user_id", "deal_id", "deal_type", "number", "unit", "redemption_code",
    )

    def __init__(self, faults, totals, inventory):
        self.faults, self.totals, self.inventory = faults, totals, inventory
        self.barcodes = set()
        self.ended = {}
        self.undone = {}
        self.abandoned_due = {}

    def unfinished(self):
        return [start for start, _ in self.ended.values()] + [start for start, _ in self.undone.values()]

    def close(self, event, start, sale, group):
        if event.type in ("hold-released.v1", "hold-expired.v1"):
            if start is not None:
                if group.is_empty():
                    self.ended[start.number] = (start, event)
                else:
                    self.reservation(start.event, event, None, group)
        elif sale in ("claims", "late claims"):
            self.claim(event, start, sale, group)
        elif start is not None and start.kind == "checkout":
            self.checkout(start, event, group)
        elif start is not None and start.kind == "resale":
            self.resale(start, event, sale is not None, group)
        self.refuse(group)

    def at_end(self, start, group):
        ended = self.ended.pop(start.number, (None, None))[1]
        if start.kind == "hold":
            self.reservation(start.event, ended, None, group)
            for first in group.take("purchase-" + start.id)[:1]:
                self.faults.add(first, "accounts", "the inventory has no sale for it")
        elif start.kind == "checkout":
            self.checkout(start, None, group)
        else:
            self.open_resale(start, group)
        self.refuse(group)

    def refuse(self, group):
        for first in group.rest():
            self.faults.add(first, "accounts", "nothing that the inventory decided accounts for it")

    def finish(self):
        for _, event in self.undone.values():
            self.faults.add(event, "accounts", "the purchase has not abandoned this resale")
        for event in self.abandoned_due.values():
            self.faults.missing(event, "the inventory does not say so")

    def count(self, kind, quantity, amount):
        sums = self.totals.sales[kind]
        sums[0] += 1
        sums[1] += integer(quantity)
        sums[2] += amount

    # Reservations

    def reservation(self, placed, ended, sale, group):
        own = text(placed.get("reservation_id"))
        stream = "reservation-" + own
        events = group.take(stream)
        if not events:
            if stream not in group.unreadable:
                self.faults.missing(placed, f"{stream} is missing")
            return
        first = events[0]
        if first.type != "reservation-placed.v1":
            self.faults.add(first, "accounts", "a reservation does not begin so")
        else:
            self.faults.follows(first, placed)
            fits = first.get("purchase_id") == own and first.get("created_at") == placed.time
            if not fits or not same_fields(first.data, placed.data, *self.PLACED):
                self.faults.add(first, "accounts", "it does not say what hold-placed says")
        ends = claims = 0
        expected = {"hold-released.v1": "reservation-released.v1", "hold-expired.v1": "reservation-expired.v1"}
        for event in events[1:]:
            if event.get("purchase_id") != own:
                self.faults.add(event, "accounts", "it names another purchase")
            if event.type == "reservation-claimed.v1":
                claims += 1
                if sale is None:
                    self.faults.add(event, "accounts", "the inventory has no sale for it")
                else:
                    self.faults.follows(event, sale)
                    if not same(event.get("user_id"), sale.get("user_id")):
                        self.faults.add(event, "accounts", "it names another user than the sale")
                if claims > 1:
                    self.faults.add(event, "accounts", "the reservation was claimed before")
            else:
                ends += 1
                if ended is None or expected[ended.type] != event.type:
                    self.faults.add(event, "accounts", "the inventory did not end its hold so")
                else:
                    self.faults.follows(event, ended)
                if ends > 1:
                    self.faults.add(event, "accounts", "the reservation ended before")
        if stream in group.unreadable:
            return
        if ended is not None and ends == 0 and claims == 0:
            self.faults.missing(ended, f"{stream} does not say so")
        if sale is not None and claims == 0:
            self.faults.missing(sale, f"{stream} does not say so")

    def claim(self, event, start, kind, group):
        before, ended = self.ended.pop(integer(event.get("number")), (None, None))
        begun = start or before
        own = text(event.get("purchase_id"))
        if begun is None:
            group.take("reservation-" + own)
            self.faults.missing(event, f"reservation-{own} does not say so")
        else:
            placed = begun.event
            fits = placed.get("reservation_id") == own and event.get("created_at") == placed.time
            if not fits or not same_fields(event.data, placed.data, "partner_id", "deal", "price", "quantity"):
                self.faults.add(event, "accounts", "it does not sell what hold-placed says")
            self.reservation(placed, ended, event, group)
        stream = "purchase-" + own
        events = group.take(stream)
        corrections = self.coupons(event, event.data, group)
        if not events:
            if stream not in group.unreadable:
                self.faults.missing(event, f"{stream} is missing")
        else:
            self.recorded(events[0], event)
            self.corrected(events[0], events[1:], False, corrections)
        self.count(kind, event.get("quantity"), self.amount(event.data))

    # Purchases

    @staticmethod
    def amount(data):
        return integer(data.get("price")) * integer(data.get("quantity"))

    def recorded(self, event, sale):
        if event.type != "purchase-recorded.v1":
            self.faults.add(event, "accounts", "a claimed purchase does not begin so")
            return
        self.faults.follows(event, sale)
        if not same_fields(event.data, sale.data, *self.RECORDED):
            self.faults.add(event, "accounts", "it does not say what the sale says")
        if not same(event.get("amount"), self.amount(event.data)):
            self.faults.add(event, "money", "its amount is not price times quantity")

    def checkout(self, start, closed, group):
        stream = "purchase-" + start.id
        events = group.take(stream)
        if closed is not None and not same_fields(closed.data, start.event.data, "user_id"):
            self.faults.add(closed, "accounts", "it names another user than checkout-started")
        if not events:
            if stream not in group.unreadable:
                self.faults.missing(start.event, f"{stream} is missing")
            return
        opened = events[0]
        if opened.type != "purchase-opened.v1":
            self.faults.add(opened, "accounts", "a purchase by card does not begin so")
        else:
            self.faults.follows(opened, start.event)
            fits = opened.get("created_at") == start.event.time
            if not fits or not same_fields(opened.data, start.event.data, *self.OPENED):
                self.faults.add(opened, "accounts", "it does not say what checkout-started says")
            if not same(opened.get("amount"), self.amount(opened.data)):
                self.faults.add(opened, "money", "its amount is not price times quantity")
        outcome, is_sold, later = self.charge(opened, events[1:])
        if closed is None:
            if outcome is not None:
                self.faults.missing(outcome, "the inventory does not say so")
        elif outcome is None or is_sold != (closed.type == "checkout-sold.v1"):
            self.faults.add(closed, "money", "the charge does not have this outcome")
        else:
            self.faults.follows(closed, outcome)
        if is_sold:
            self.corrected(opened, later, True, self.coupons(outcome, outcome.data, group))
        else:
            for event in later:
                self.faults.add(event, "money", "it comes after the end of the purchase")
        if closed is not None and closed.type == "checkout-sold.v1":
            self.count("by card", opened.get("quantity"), integer(opened.get("amount")))

    def charge(self, opened, events):
        """Follows a charge to its outcome."""
        state = "charging"
        for at, event in enumerate(events):
            self.faults.decides(event)
            if not same(event.get("purchase_id"), opened.get("purchase_id")):
                self.faults.add(event, "accounts", "it names another purchase")
            kind = event.type[len("purchase-"):]
            known = ("charge-lost.v1", "charge-refused.v1", "void-asked.v1", "charged.v1", "declined.v1")
            if kind in known and state != "charging":
                self.faults.add(event, "money", "nothing is being charged")
            if kind in ("charge-refused.v1", "void-asked.v1"):
                state = "voiding"
            elif kind == "charged.v1":
                if not same_fields(event.data, opened.data, *self.CHARGED):
                    self.faults.add(event, "money", "it does not charge what was opened")
                if instant(event.get("coupons_expire_at")) != expiry(opened.data, event.at):
                    self.faults.add(event, "terms", "its coupons do not expire as the terms say")
                self.totals.money["charged"] += integer(event.get("amount"))
                return event, True, events[at + 1:]
            elif kind == "declined.v1":
                return event, False, events[at + 1:]
            elif kind == "voided.v1":
                if state != "voiding":
                    self.faults.add(event, "money", "nobody asked to void the charge")
                amount = integer(event.get("amount"))
                if event.get("refunded") is not (amount > 0) or amount not in (0, opened.get("amount")):
                    self.faults.add(event, "money", "it does not give back what was charged, or nothing")
                self.totals.money["voided"] += amount
                return event, False, events[at + 1:]
            elif kind != "charge-lost.v1":
                self.faults.add(event, "money", "it needs an outcome of the charge before it")
        return None, False, []

    def corrected(self, made, later, is_charged, corrections):
        """What becomes of a purchase that is sold."""
        cancelled, replaced = corrections
        amount, quantity = integer(made.get("amount")), integer(made.get("quantity"))
        left, refunded, due = quantity, 0, {}
        for event in later:
            coupon = text(event.get("coupon_id"))
            kind = event.type
            if kind != "purchase-resale-abandoned.v1" and not same(event.get("purchase_id"), made.get("purchase_id")):
                self.faults.add(event, "accounts", "it names another purchase")
            if kind == "purchase-coupon-cancelled.v1":
                self.follow(event, cancelled.pop(coupon, None))
                left -= 1
                share = amount - refunded if left == 0 else amount // max(quantity, 1)
                refunded += share
                says = [event.get(name) for name in ("refund", "refunded", "units_left")]
                if not same(says, [share, refunded, left]):
                    self.faults.add(event, "money", "its share, sum or units are not those of the purchase")
                if event.get("refund_by") != ("gateway" if is_charged else "partner"):
                    self.faults.add(event, "money", "somebody else took the money")
                if not is_charged:
                    self.totals.partners += share
                elif share > 0:
                    due[coupon] = share
            elif kind == "purchase-coupon-replaced.v1":
                reissued = replaced.pop(coupon, None)
                self.follow(event, reissued)
                if reissued is not None:
                    if not same(obj(reissued.get("replacement")).get("coupon_id"), event.get("replacement_id")):
                        self.faults.add(event, "coupons", "it names another new coupon")
            elif kind in ("purchase-money-returned.v1", "purchase-money-refused.v1"):
                self.faults.decides(event)
                if not same(due.pop(coupon, None), event.get("amount")):
                    self.faults.add(event, "money", "no such amount is due for its coupon")
                answer = "returned" if kind == "purchase-money-returned.v1" else "refused"
                self.totals.money[answer] += integer(event.get("amount"))
            elif kind == "purchase-refund-asked.v1":
                self.faults.decides(event)
            elif kind != "purchase-resale-abandoned.v1":
                self.faults.add(event, "money", "the purchase was sold before")
        self.totals.money["due"] += sum(due.values())
        for event in [*cancelled.values(), *replaced.values()]:
            self.faults.missing(event, f"{made.stream} does not say so")

    def follow(self, event, decision):
        if decision is None:
            self.faults.add(event, "accounts", "no coupon of the purchase says so")
        else:
            self.faults.follows(event, decision)

    # Resales

    def resale(self, start, event, is_sold, group):
        if not same(event.get("purchase_id"), start.event.get("purchase_id")):
            self.faults.add(event, "accounts", "it names another purchase than resale-started")
        if not is_sold:
            abandoned = self.abandoned_due.pop(start.id, None)
            if abandoned is None:
                self.undone[start.id] = (start, event)
            else:
                self.faults.follows(event, abandoned)
            if not group.is_empty():
                self.abandon(group.take(start.purchase), start.event)
            return
        events = group.take(start.purchase)
        resold = next((each for each in events if each.type == "purchase-resold.v1"), None)
        if resold is None or resold.get("resale_id") != start.id:
            if start.purchase not in group.unreadable:
                self.faults.add(event, "accounts", f"{start.purchase} has not sold this resale")
            return
        self.faults.follows(event, resold)
        self.abandon(events, start.event)
        self.resold(start, resold, events, group)
        self.count("by resellers", resold.get("quantity"), integer(resold.get("amount")))

    def resold(self, start, resold, events, group):
        self.faults.decides(resold)
        if not same_fields(resold.data, start.event.data, *self.RESOLD):
            self.faults.add(resold, "accounts", "it does not say what resale-started says")
        if resold.get("created_at") != resold.time:
            self.faults.add(resold, "time", "it was not made at its time")
        if instant(resold.get("coupons_expire_at")) != expiry(start.event.data, resold.at):
            self.faults.add(resold, "terms", "its coupons do not expire as the terms say")
        corrections = self.coupons(resold, {**resold.data, "user_id": None}, group)
        self.corrected(resold, [each for each in events if each.revision > resold.revision], False, corrections)
        for each in events:
            if each.revision < resold.revision and each.type != "purchase-resale-abandoned.v1":
                self.faults.add(each, "accounts", "a resold purchase does not begin so")

    def abandon(self, events, started):
        for event in events:
            if event.type != "purchase-resale-abandoned.v1":
                continue
            if "inventory-" + text(event.get("deal_id")) != started.stream:
                continue
            self.faults.decides(event)
            own = text(event.get("resale_id"))
            if own in self.undone:
                self.faults.follows(self.undone.pop(own)[1], event)
            else:
                self.abandoned_due[own] = event

    def open_resale(self, start, group):
        events = group.take(start.purchase)
        if start.id in self.undone:
            closed = self.undone[start.id][1]
            self.abandon(events, start.event)
            if self.undone.pop(start.id, None) is not None:
                self.faults.add(closed, "accounts", "the purchase has not abandoned this resale")
            return
        self.abandoned_due.pop(start.id, None)
        for event in events:
            if event.get("resale_id") == start.id:
                self.faults.missing(event, "the inventory does not say so")
                if event.type == "purchase-resold.v1":
                    self.resold(start, event, events, group)

    # Coupons

    def coupons(self, decision, sale, group):
        """Rule coupons: a sale has exactly its coupons. Returns those that are cancelled, and those that are replaced."""
        cancelled, replaced, seen = {}, {}, set()
        deal = obj(sale.get("deal"))
        for number, sold in enumerate(objects(sale.get("coupons"))):
            own = text(sold.get("id"))
            issued = {
                "coupon_id": own,
                "purchase_id": sale.get("purchase_id"),
                "partner_id": sale.get("partner_id"),
                "user_id": sale.get("user_id"),
                "deal_id": deal.get("id"),
                "deal_type": deal.get("type"),
                "deal_revision": deal.get("revision"),
                "number": number,
                "barcode": sold.get("barcode"),
                "unit": sold.get("unit"),
                "created_at": decision.time,
                "expires_at": sale.get("coupons_expire_at"),
            }
            fits = lambda data, issued=issued, code=sold.get("code"): (
                same_fields(data, issued, *issued)
                and self.inventory.codes.is_text_of(code, data.get("redemption_code"))
            )
            cause = decision
            while True:
                stream = "coupon-" + own
                if own in seen:
                    self.faults.add(cause, "coupons", f"{stream} has two units")
                    break
                seen.add(own)
                events = group.take(stream)
                if not events:
                    if stream not in group.unreadable:
                        self.faults.missing(cause, f"{stream} is missing")
                    break
                self.issue(events[0], cause, fits)
                cause = self.live(own, events[0].data, events[1:], cancelled)
                if cause is None:
                    break
                replaced[own] = cause
                new = obj(cause.get("replacement"))
                own = text(new.get("coupon_id"))
                fits = lambda data, new=new: same(data, new)
        for first in group.rest():
            if first.stream.startswith("coupon-"):
                group.take(first.stream)
                self.faults.add(first, "coupons", "no unit of the sale has this coupon")
        return cancelled, replaced

    def issue(self, issued, cause, fits):
        if issued.type != "coupon-issued.v1":
            self.faults.add(issued, "coupons", "a coupon does not begin so")
        self.faults.follows(issued, cause)
        if not fits(issued.data):
            self.faults.add(issued, "coupons", f"it is not the coupon that {cause.place} leads to")
        barcode = print_of(text(issued.get("barcode")))
        if barcode in self.barcodes:
            self.faults.add(issued, "coupons", "another coupon of the deal has its barcode")
        self.barcodes.add(barcode)
        self.totals.coupons["issued"] += 1

    def live(self, own, coupon, later, cancelled):
        """What becomes of a coupon. Returns the event that it was issued again, if it was."""
        state, replaced = "valid", None
        for event in later:
            self.faults.decides(event)
            if event.get("coupon_id") != own or not same(event.get("purchase_id"), coupon.get("purchase_id")):
                self.faults.add(event, "coupons", "it names another coupon or purchase")
            if event.type == "coupon-redeemed.v1":
                self.totals.coupons["redeemed"] += 1
                if state != "valid":
                    self.faults.add(event, "coupons", f"the coupon is {state}, and not valid")
                if event.get("redeemed_at") != event.time:
                    self.faults.add(event, "time", "it was not redeemed at its time")
                if coupon.get("expires_at") is not None and event.at >= instant(coupon["expires_at"]):
                    self.faults.add(event, "time", "the coupon had expired")
                state = "redeemed"
            elif event.type == "coupon-cancelled.v1":
                self.totals.coupons["cancelled"] += 1
                if state not in ("valid", "redeemed"):
                    self.faults.add(event, "coupons", f"the coupon is {state} already")
                if not same_fields(event.data, coupon, "user_id", "deal_id", "unit"):
                    self.faults.add(event, "coupons", "it does not name the user, deal and unit of the coupon")
                state = "cancelled"
                cancelled[own] = event
                if is_number(event.get("unit")):
                    self.inventory.note_return(integer(event.get("unit")), event)
            elif event.type == "coupon-reissued.v1":
                self.totals.coupons["reissued"] += 1
                if state not in ("valid", "redeemed"):
                    self.faults.add(event, "coupons", f"the coupon is {state} already")
                if event.get("redeemed_by_mistake") is not (state == "redeemed"):
                    self.faults.add(event, "coupons", "it says wrongly whether the coupon was redeemed")
                new = obj(event.get("replacement"))
                if not same_fields(new, coupon, *self.KEPT) or new.get("created_at") != event.time:
                    self.faults.add(event, "coupons", "the new coupon is not for the same unit of the same purchase")
                state, replaced = "reissued", event
            else:
                self.faults.add(event, "coupons", "no event of a coupon has its type, or it was issued before")
        return replaced


class Certificate:
    """The certificate of a deal, line by line."""

    def __init__(self, begin):
        self.deal = begin["deal"]
        self.faults = Faults(instant(begin["time"]))
        self.totals = Totals()
        self.terms = Terms(self.faults)
        self.inventory = Inventory(self.faults, self.terms, self.totals)
        self.sales = Sales(self.faults, self.totals, self.inventory)
        self.digest = hashlib.sha256()
        self.deal_order, self.inventory_order = Order(self.faults), Order(self.faults)
        self.first = self.last = None
        self.of = None
        self.group = Group(self.faults)

    def take(self, line, raw):
        self.digest.update(raw)
        if "open" in line:
            self.close()
            starts = [*self.inventory.open.values(), *self.sales.unfinished()]
            revision = integer(obj(line["open"]).get("revision"))
            self.of = next((each for each in starts if each.event.revision == revision), None)
        elif "unreadable" in line:
            stream, begin = line["unreadable"]["stream"], line["unreadable"]["from"]
            position = 0 if self.last is None else self.last.position
            self.faults.at(position, f"{stream}@{begin}", "order", "nobody can read it from here")
            self.group.unreadable.add(stream)
        else:
            self.event(Event(line))

    def event(self, event):
        self.totals.events += 1
        if event.stream == "inventory-" + self.deal:
            self.close()
            self.inventory_order.take(event)
            self.first = self.first or event
            self.last = event
            self.of = (event, self.inventory.take(event))
        elif event.stream == "deal-" + self.deal:
            self.deal_order.take(event)
            self.terms.take_deal(event)
        else:
            self.group.add(event)

    def close(self):
        """Checks what the lines so far belong to."""
        of, group = self.of, self.group
        self.of = None
        if of is None and group.is_empty():
            return
        self.group = Group(self.faults)
        if isinstance(of, Start):
            self.sales.at_end(of, group)
        elif of is None or of[1] is None:
            self.sales.refuse(group)
        else:
            self.sales.close(of[0], *of[1], group)

    def end(self):
        self.close()
        self.inventory.finish()
        self.sales.finish()
        self.terms.end()
        return "".join(line + "\n" for line in self.lines())

    def lines(self):
        inventory, totals, faults = self.inventory, self.totals, self.faults
        open_starts = [start.kind for start in inventory.open.values()]
        first, last = self.first, self.last
        yield CERTIFICATE_FORMAT
        yield f"deal: {self.deal}"
        if first is None:
            yield "inventory: none"
        else:
            begin = f"revision {first.revision} at position {first.position}"
            yield f"inventory: {begin} to revision {last.revision} at position {last.position}"
        yield f"events: {totals.events}"
        yield f"digest: sha256 {self.digest.hexdigest()}"
        yield f"stock: {'unlimited' if inventory.stock is None else inventory.stock}"
        yield f"held: {inventory.held}"
        yield f"sold: {inventory.sold}"
        yield f"codes left: {'none' if inventory.unsold is None else max(inventory.unsold, 0)}"
        yield f"returned: {totals.returned}"
        yield f"released: {totals.released}"
        yield f"expired: {totals.expired}"
        yield f"undone: {totals.undone}"
        counts = [f"{open_starts.count(kind)} {kind}s" for kind in ("hold", "checkout", "resale")]
        yield f"open: {', '.join(counts)}"
        for kind, (sales, units, amount) in totals.sales.items():
            yield f"{kind}: {sales} sales of {units} units for {amount} cents"
        yield "coupons: " + ", ".join(f"{count} {name}" for name, count in totals.coupons.items())
        money = totals.money
        yield f"charged: {money['charged']} cents"
        yield f"given back: {money['returned']} cents, {money['due']} due, {money['refused']} refused"
        yield f"voided: {money['voided']} cents"
        yield f"owed by partners: {totals.partners} cents"
        yield f"users: {len(inventory.limits.bought)}"
        yield f"most units of one user: {inventory.limits.most}"
        for rule in RULES:
            count = faults.of[rule]
            yield f"rule {rule}: {'kept' if count == 0 else f'broken {count} times'}"
        yield from faults.waiting.lines("open")
        if faults.broken.total == 0:
            yield "verdict: sound"
        else:
            yield from faults.broken.lines("fault")
            yield "verdict: broken"
            position, place, _, _ = faults.broken.first()[0]
            yield f"first: {place} at position {position}"


def certificate_of(lines):
    """The certificate of exported lines, as bytes; and whether the deal is sound."""
    certificate = None
    for number, raw in enumerate(lines, 1):
        try:
            line = json.loads(raw)
            if certificate is None:
                begin = line["export"]
                if begin["format"] != EXPORT_FORMAT:
                    raise Unusable(f"line 1: the format is {begin['format']}, and not {EXPORT_FORMAT}")
                certificate = Certificate(begin)
            elif "end" in line:
                text_of = certificate.end()
                return text_of.encode(), certificate.faults.broken.total == 0
            else:
                certificate.take(line, raw)
        except (ValueError, KeyError, TypeError) as error:
            raise Unusable(f"line {number} is no line of an export ({type(error).__name__}: {error})") from None
    raise Unusable("the last line has no end: the export broke off, so fetch it again")


def main():
    parser = argparse.ArgumentParser(description="Makes the certificate of a deal from its exported events.")
    parser.add_argument("events", nargs="?", default="-", help="lines of JSON; - or nothing is the standard input")
    parser.add_argument("--verify", metavar="certificate.txt", help="compares the certificate with this one")
    given = parser.parse_args()
    try:
        with sys.stdin.buffer if given.events == "-" else open(given.events, "rb") as lines:
            made, is_sound = certificate_of(lines)
        other = None
        if given.verify is not None:
            with open(given.verify, "rb") as file:
                other = file.read(len(made) + 1)
    except (Unusable, OSError) as error:
        print(f"unusable: {error}", file=sys.stderr)
        return 2
    if other is None:
        sys.stdout.buffer.write(made)
        sys.stdout.buffer.flush()
    elif other != made:
        pairs = zip(made.split(b"\n"), other.split(b"\n"))
        line = next((number for number, (one, two) in enumerate(pairs, 1) if one != two), None)
        where = "in its length" if line is None else f"in line {line}"
        print(f"different: the certificate of these events differs from {given.verify} {where}", file=sys.stderr)
        return 2
    if other is not None:
        print("equal, and sound" if is_sound else "equal, and broken: the certificate says where")
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
