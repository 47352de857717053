// A second verifier of proofs, written from the rules alone. It derives commitment, ruleset and deals, whether each
// action was legal, what a missed one does, and the result. It leaves out time: which actions the clock made, who left
// otherwise than by resigning, and all dates; and the bounds of options and of the clock's settings. These it takes
// from the proof, where they fit their checksums. Each file holds a proof; without a file, each line of standard input:
//   node verify.mjs [FILE...]
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const need = (holds, where) => { if (!holds) throw new Error(where); };
const canonical = (value) => {
  if (value?.constructor !== Object) return Array.isArray(value) ? `[${value.map(canonical)}]` : JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`;
};
const same = (one, other) => canonical(one) === canonical(other);
const has = (value, ...names) => value?.constructor === Object && same(Object.keys(value).sort(), names.sort());
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const count = (n, from = 0) => Array.from({ length: Math.max(n, 0) }, (_, i) => from + i);

// Chance: bluff-rng/v1
const bytes = (hex) => Buffer.from(hex, "hex");
const u32 = (number) => Buffer.from([number >>> 24, number >>> 16, number >>> 8, number]);
const lp = (data) => Buffer.concat([u32(Buffer.byteLength(data)), Buffer.from(data)]);
const tagged = (tag, ...parts) => Buffer.concat([Buffer.from(`bluff-rng/v1/${tag}\0`), ...parts]);
const hmac = (key, data) => createHmac("sha256", key).update(data).digest();
const sha256 = (data) => createHash("sha256").update(data).digest("hex");

export function chanceOf({ key, match, ruleset, seats, nonces }) {
  const root = hmac(bytes(key), tagged("root", lp(match), lp(ruleset), u32(seats), ...nonces.map((x) => lp(bytes(x)))));
  return (label) => {
    const stream = hmac(root, tagged("stream", lp(label)));
    let place = 0; // of the next word; a block, whose number has 64 bits, holds eight
    const word = () => hmac(stream, Buffer.concat([u32(0), u32(place >>> 3)])).readUInt32BE(4 * (place++ & 7));
    const below = (n, drawn = word()) => (drawn < 2 ** 32 - (2 ** 32 % n) ? drawn % n : below(n));
    const swap = (items, i, j) => Object.assign(items, { [i]: items[j], [j]: items[i] });
    const shuffle = (items) => count(items.length - 1, 1).reduceRight((all, i) => swap(all, i, below(i + 1)), items);
    return { below, shuffle };
  };
}

// The games. A table t has n seats, options o and chance. Each game starts one, says which seats a decision asks, lists
// what is legal (first what a missed action does), closes a decision, and gives each seat's score and what ranks it.
const liars = {
  seats: count(9, 2), options: { digits: 8, rank_order: "zero-low", bidder_rebid: "off", stake: 1, starter: "rotate",
    rounds: (n) => [5, 3, 2][n - 2] ?? 1 },
  start: (t) =>
    liars.deal(Object.assign(t, { round: 1, opener: t.chance("liars/first").below(t.n), net: count(t.n).fill(0) })),
  deal(t) {
    const streams = count(t.n).map((seat) => t.chance(`liars/round=${t.round}/seat=${seat}`));
    const dealt = streams.flatMap((stream) => count(t.o.digits).map(() => stream.below(10)));
    const digits = count(10, { "zero-low": 0, "zero-high": 1, "ace-high": 2 }[t.o.rank_order]).map((d) => d % 10);
    const bids = count(t.o.digits * t.n, 1).flatMap((n) => digits.map((digit) => ({ type: "bid", count: n, digit })));
    Object.assign(t, { dealt, bids, bid: null, bidder: null, challenges: 0, raised: [] }); // bids: those left
  },
  asks: (t) => [t.bid ? (t.bidder + t.challenges + 1) % t.n : t.opener],
  legal: (t) => (t.bid ? [{ type: liars.asks(t)[0] === t.bidder ? "stand" : "challenge" }, ...t.bids] : t.bids),
  close(t, [[seat, action]]) {
    if (action.type === "bid") {
      if (seat === t.bidder) t.raised.push(seat);
      t.bids.splice(0, t.bids.findIndex((bid) => same(bid, action)) + 1);
      return Object.assign(t, { bid: action, bidder: seat, challenges: 0 });
    }
    const mayRaise = t.o.bidder_rebid === "once" && t.n > 2 && !t.raised.includes(t.bidder) && t.bids.length;
    if (action.type === "challenge" && (++t.challenges < t.n - 1 || mayRaise)) return t;
    const holds = t.dealt.filter((digit) => digit === t.bid.digit).length >= t.bid.count;
    const stake = holds ? t.o.stake : -t.o.stake;
    t.net = t.net.map((net, at) => net + (at === t.bidder ? stake * (t.n - 1) : -stake));
    const loser = (t.bidder + (holds ? t.n - 1 : 0)) % t.n;
    t.opener = { rotate: (t.opener + 1) % t.n, bidder: t.bidder, loser }[t.o.starter];
    t.over = t.round++ === t.o.rounds;
    return liars.deal(t);
  },
  keys: (t) => t.net.map((net) => [net, net]),
};

const misfortune = {
  seats: [2], options: { ace: "low", leftover: "void", prayer_from_round: 1, recall: "open" },
  start(t) {
    t.order = t.o.ace === "low" ? "A23456789TJQK" : "23456789TJQKA";
    const hands = [..."ch"].map((suit) => [...t.order].map((rank) => rank + suit));
    Object.assign(t, { round: 1, pot: [], won: [0, 0], hands });
  },
  asks: () => [0, 1],
  legal(t, seat) {
    const claims = ["lower", "higher", ...(t.round >= t.o.prayer_from_round ? ["equal"] : [])];
    return t.hands[seat].flatMap((card) => claims.map((claim) => ({ type: "play", card, claim })));
  },
  close(t, [[, one], [, other]]) {
    t.hands = t.hands.map((hand) => hand.filter((card) => card !== one.card && card !== other.card));
    const higher = Math.sign(t.order.indexOf(one.card[0]) - t.order.indexOf(other.card[0])); // 1: seat 0, -1: seat 1
    const praying = [one, other].filter(({ claim }) => claim === "equal");
    t.over = t.round++ === 13 || praying.length > 0;
    t.pot.push(higher);
    const take = (cards) => // how many of each pair seat 0 gets
      Object.assign(t, { won: [t.won[0] + sum(cards), t.won[1] + 2 * cards.length - sum(cards)], pot: [] });
    if (praying.length) t.winner = praying.length === 2 ? 2 : (praying[0] === one) === (higher === 0) ? 0 : 1;
    else if (one.claim === other.claim) take(t.pot.map(() => 1 + (one.claim === "higher" ? higher : -higher)));
    else if (t.over && t.o.leftover !== "void") take(t.pot.map((pair) => (t.o.leftover === "split" ? 1 : 1 + pair)));
  },
  keys: (t) => t.won.map((cards, seat) => [cards, t.winner === undefined ? cards : Number(t.winner === seat)]),
};

const half = {
  seats: [2], options: { start_chips: 40, min_raise: 1 },
  start: (t) => half.deal(Object.assign(t, { round: 1, stacks: [t.o.start_chips, t.o.start_chips] })),
  deal(t) {
    const deck = t.chance(`half/round=${t.round}`).shuffle(count(10, 1));
    Object.assign(t, { phase: "raise", cards: [deck.slice(0, 2), deck.slice(2, 4)], swapper: null });
  },
  asks: (t) => (t.phase === "swap" ? [t.raises[0] > t.raises[1] ? 0 : 1] : [0, 1]),
  legal(t, seat) {
    const { phase: type, o: { min_raise: least } } = t;
    if (type === "raise") return count(t.stacks[seat] - least + 1, least).map((chips) => ({ type, chips }));
    if (type === "swap") return [{ type, swap: false }, { type, swap: true }];
    return [...(t.raises[1 - seat] ? [{ type: "fold" }] : []), { type: "call" }];
  },
  close(t, choices) {
    const actions = choices.map(([, action]) => action);
    if (t.phase === "call") return half.pay(t, actions.map((action) => action.type === "fold"));
    if (t.phase === "raise") t.raises = actions.map((action) => action.chips);
    else if (actions[0].swap) t.cards[(t.swapper = choices[0][0])].reverse();
    return Object.assign(t, { phase: t.phase === "raise" && t.raises[0] !== t.raises[1] ? "swap" : "call" });
  },
  pay(t, folded) { // seat 0 has raised at place 0, and seat 1 at place 1
    const { cards, raises, stacks, swapper } = t;
    const winners = [0, 1].map((p) => (folded[1 - p] ? p : cards[0][p] > cards[1][p] ? 0 : 1));
    const calls = [0, 1].map((s) => (folded[s] ? 0 : Math.min(raises[1 - s], stacks[s] - raises[s])));
    const net = sum([0, 1].map((p) => (winners[p] === 0 ? calls[1 - p] : -calls[1 - p])));
    Object.assign(t, { stacks: [stacks[0] + net, stacks[1] - net], debts: [0, 0] });
    const fine = (own, against) => ({ 1: 5, 2: own === 1 ? 0 : 2 })[against] ?? 0;
    const fines = [0, 1].map((s) => (folded[s] ? fine(cards[s][1 - s], cards[1 - s][1 - s]) : 0));
    const low = swapper !== null && cards[swapper][0] > cards[swapper][1] ? 1 : 0;
    const isDue = (s) => (s === swapper ? winners[1 - low] !== s : winners[low] === swapper);
    const bonuses = [0, 1].map((s) => (swapper !== null && isDue(s) ? raises[s] : 0));
    for (const [due, share] of [[fines, 0], [bonuses, 1], [[1, 1], 0]]) {
      const paid = due.map((chips, s) => Math.min(chips, t.stacks[s]));
      t.debts = t.debts.map((debt, s) => debt + due[s] - paid[s]);
      t.stacks = t.stacks.map((chips, s) => chips - paid[s] + share * paid[1 - s]);
    }
    Object.assign(t, { round: t.round + 1, over: t.stacks.includes(0) });
    return t.over || half.deal(t);
  },
  keys: (t) => t.stacks.map((chips, s) => [chips, chips, sum(t.stacks) ? 0 : -t.debts[s]]),
};

const RANKS = [..."23456789TJQKA"];
const CARDS = [..."cdhs"].flatMap((suit) => RANKS.map((rank) => rank + suit));
const HANDS = ["high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush"];
const isJoker = (card) => card[0] === "X";
const isFace = (card) => "JQK".includes(card[0]);
const value = (card) => (isJoker(card) ? 0 : RANKS.indexOf(card[0]) + 2);
const micro = {
  seats: count(4, 3), options: { jokers: 2, joker_hand: "wild", table_talk: "remarks", declaration: "category",
    scoring: "base", hand_rule: "reset-all", max_turns: (n) => 8 * n },
  start(t) {
    const deck = t.chance("micro/deal").shuffle([...CARDS, "X1", "X2"].slice(0, 52 + t.o.jokers));
    const hands = count(t.n).map(() => deck.splice(0, 2));
    const ranked = (hand) => RANKS.map((rank) => ({ hand, rank }));
    t.claims = HANDS.flatMap((hand) => (t.o.declaration === "category" ? { hand } : ranked(hand))); // the lowest first
    const tourist = t.chance("micro/first").below(t.n);
    micro.open(Object.assign(t, { turn: 1, tourist, deck, hands, banks: hands.map(() => []) }));
  },
  open(t) {
    Object.assign(t, { declared: null, strangers: count(t.n - 1, t.tourist + 1).map((seat) => seat % t.n) });
    for (const seat of t.strangers) t.hands[seat].push(t.deck.shift());
  },
  best(hand, isWild) { // the category's place in HANDS, and its rank; a wild joker is tried as every card
    const [known, [, ...jokers]] = [hand.filter((card) => !isJoker(card)), hand.filter(isJoker)];
    if (known.length < 3 && isWild) {
      const tried = CARDS.filter((card) => !known.includes(card)).map((card) => [...known, card, ...jokers]);
      return tried.map((cards) => micro.best(cards, true)).reduce((one, other) => (isAfter(other, one) ? other : one));
    }
    const ranks = known.map(value).sort((one, other) => one - other);
    const twice = ranks.find((rank, i) => rank === ranks[i + 1]);
    if (known.length < 3 || twice) return ranks[0] === ranks[2] ? [4, twice] : twice ? [1, twice] : [0, ranks.at(-1)];
    const isSuited = known.every((card) => card[1] === known[0][1]);
    const top = same(ranks, [2, 3, 14]) ? 3 : ranks[2] - ranks[0] === 2 ? ranks[2] : 0;
    return top ? [isSuited ? 5 : 3, top] : [isSuited ? 2 : 0, ranks[2]];
  },
  truth(t, seat) {
    const [category, rank] = micro.best(t.hands[seat], t.o.joker_hand === "wild");
    return t.claims[t.o.declaration === "category" ? category : 13 * category + rank - 2];
  },
  isTrue: (t, seat, { hand, rank }) => same([hand, rank], [micro.truth(t, seat).hand, micro.truth(t, seat).rank]),
  asks: (t) => (t.declared ? [t.tourist] : [...t.strangers].sort()),
  legal(t, seat) {
    const of = (type) => t.strangers.map((stranger) => ({ type, seat: stranger }));
    if (t.declared) return [{ type: "pass" }, ...of("trust"), ...of("accuse")];
    const [last, truth] = [t.hands[seat][2], micro.truth(t, seat)];
    const lies = isFace(last) ? [] : t.claims.filter((claim) => claim !== truth);
    return [...(isFace(last) || isJoker(last) ? [truth] : []), ...lies].map((claim) => ({ type: "declare", ...claim }));
  },
  mayAdd(t, seat, { remarks, ...said }) {
    const fits = ({ seat: about, ...claim }, i) =>
      about !== seat && t.strangers.includes(about) && (i === 0 || about > remarks[i - 1].seat) &&
      t.claims.some((one) => same(one, claim)) && micro.isTrue(t, about, claim) === micro.isTrue(t, seat, said);
    return t.o.table_talk === "remarks" && said.type === "declare" && remarks.length > 0 && remarks.every(fits);
  },
  close(t, choices) {
    if (!t.declared) return Object.assign(t, { declared: Object.fromEntries(choices) });
    const { tourist, hands, banks, deck, o: { scoring, hand_rule: rule } } = t;
    const [[, { type, seat: chosen }]] = choices;
    const isBase = scoring === "base";
    const lies = type !== "pass" && !micro.isTrue(t, chosen, t.declared[chosen]);
    const bankOne = (seat, of) => banks[seat].push(...(banks[of].length ? banks[of].splice(-1) : deck.splice(0, 1)));
    if (type === "trust") {
      const held = hands[chosen].splice(0);
      banks[chosen].push(...held);
      if (!lies) banks[tourist].push(...(isBase ? deck.splice(0, held.length) : hands[tourist].splice(0)));
      else if (isBase) bankOne(chosen, tourist);
    } else if (type === "accuse" && isBase) bankOne(...(lies ? [tourist, chosen] : [chosen, tourist]));
    if (!deck.length) return Object.assign(t, { over: true });
    const returned = type === "accuse" && !isBase && !lies ? banks[tourist].splice(-1) : [];
    const kept = (seat) => (rule === "reset-all" || seat === chosen ? 0 : 2);
    for (const seat of t.strangers) returned.push(...hands[seat].splice(kept(seat)));
    t.deck = t.chance(`micro/turn=${t.turn}/return`).shuffle([...deck, ...returned]);
    const due = sum(hands.map((hand) => 2 - hand.length)) + t.n - 1;
    if (t.deck.length < due || t.turn === t.o.max_turns) return Object.assign(t, { over: true });
    for (const seat of [...t.strangers, tourist]) hands[seat].push(...t.deck.splice(0, 2 - hands[seat].length));
    return micro.open(Object.assign(t, { turn: t.turn + 1, tourist: (tourist + 1) % t.n }));
  },
  keys: (t) => t.banks.map((bank) => [bank.length, bank.length, sum(bank.map(value)), bank.filter(isFace).length]),
};

// A match: its decisions, who leaves, its result
const isAfter = ([a, ...more], [b, ...rest]) => a > b || (a === b && more.length > 0 && isAfter(more, rest));
const ranksOf = (keys) => keys.map((key) => 1 + keys.filter((other) => isAfter(other, key)).length);

function resultOf(proof, game) {
  const { seats: n, options, bots, actions, events } = proof;
  const t = { n, o: options, chance: chanceOf(proof) };
  game.start(t);
  const [left, sealed] = [count(n).fill(null), new Map()];
  let [turn, reason, end] = [1, "played", null]; // end: the event that ended the match from outside
  const isDecided = () => left.filter((at) => !at).length < 2 || left.every((at, s) => at || bots.includes(s));
  const leave = (seat, why, at, of) => (need(count(n).includes(seat), of), [left[seat], reason] = [Date.parse(at), why]);
  const act = ({ seat, by, at, action, ...numbers }, where) => {
    need(same(numbers, { n: numbers.n, turn }) && (by === "clock" || !left[seat]), where);
    if (same(action, { type: "resign" }) && by === "player") return void leave(seat, "resigned", at, where);
    need(game.asks(t).includes(seat) && !sealed.has(seat), where);
    const [{ remarks, ...bare }, legal] = [action, game.legal(t, seat)];
    need(legal.some((one) => same(one, bare)) && (remarks === undefined || game.mayAdd?.(t, seat, action)), where);
    const isOwn = by === (bots.includes(seat) ? "bot" : "player") && action.type !== "pass";
    need(isOwn || (by === "clock" && same(action, legal[0])), where);
    if (sealed.set(seat, action).size < game.asks(t).length) return;
    game.close(t, [...sealed].sort(([one], [other]) => one - other));
    sealed.clear();
    turn += 1;
  };
  for (const i of count(actions.length + 1)) {
    for (const { type, seat, reason: why, at } of events.filter(({ after }) => after === i)) {
      if (why) leave(seat, why, at, "events");
      if (type === "adjudicated" || type === "called-off") [end, reason] = [type, "timeout"];
    }
    need(t.over || end || isDecided() ? i === actions.length : actions[i]?.n === i + 1, `action ${i + 1}`);
    if (i < actions.length) act(actions[i], `action ${i + 1}`);
  }
  const keys = game.keys(t);
  const order = ranksOf(keys.map(([, ...key]) => key)).map((rank, s) => (left[s] ? [0, left[s]] : [1, -rank]));
  const hasActed = actions.some(({ by }) => by !== "clock") || events.some((event) => event.reason === "forfeit");
  if (!hasActed || end === "called-off") return null;
  return { reason: t.over ? "played" : reason, ranks: ranksOf(order), scores: keys.map(([score]) => score) };
}

// A proof: its form, its checksums, what was committed to
const GAMES = { "liars-poker": liars, misfortune, "half-deck-poker": half, "micro-poker": micro };
const FIELDS = `actions bots clock commitment ended_at events game key match nonces options result ruleset seats spec
  started_at status`.split(/\s+/);
const checksum = (item) => sha256(canonical(item)).slice(0, 16);

function verify(proof) {
  need(has(proof, ...FIELDS, "checksums") && has(proof.checksums, ...FIELDS), "proof");
  for (const [name, given] of Object.entries(proof.checksums)) {
    const items = name === "actions" || name === "events" ? proof[name] : [];
    items.forEach((item, i) => need(given[i] === checksum(item), `${name.slice(0, -1)} ${i + 1}`));
    need(same(given, items === proof[name] ? items.map(checksum) : checksum(proof[name])), name);
  }
  const { match, game: id, options, seats, key, nonces, started_at: began } = proof;
  need(proof.spec === "bluff-rng/v1" && Object.hasOwn(GAMES, id), "game");
  need(GAMES[id].seats.includes(seats), "seats");
  need(has(options, ...Object.keys(GAMES[id].options)), "options");
  need(nonces.length === seats && [key, ...nonces].every((text) => /^([0-9a-f]{2}){0,64}$/.test(text)), "nonces");
  need(proof.commitment === sha256(tagged("commit", lp(match), lp(bytes(key)))), "commitment");
  const isUsual = ([name, usual]) => options[name] === (typeof usual === "function" ? usual(seats) : usual);
  const own = Object.entries(GAMES[id].options).filter((one) => !isUsual(one)).map(([name]) => [name, options[name]]);
  need(proof.ruleset === `${id}@1${own.length ? ` ${canonical(Object.fromEntries(own))}` : ""}`, "ruleset");
  const result = began === null && !proof.actions.length ? null : resultOf(proof, GAMES[id]);
  need(same([proof.result, proof.status], [result, result === null ? "aborted" : "finished"]), "result");
}

const read = (file) => readFileSync(file, "utf8");
for (const text of process.argv.length > 2 ? process.argv.slice(2).map(read) : read(0).trim().split("\n")) {
  try {
    verify(JSON.parse(text));
    console.log("holds");
  } catch (error) {
    console.log(`refused: ${error.message}`);
    process.exitCode = 1;
  }
}
