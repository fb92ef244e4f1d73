import type { Habit, Person } from './people.ts'
import { seededChance } from './seeded-chance.ts'

/** One request of the made-up past, in every detail that its sender and its upstream decide. */
export interface PlannedRequest {
  /** Unix milliseconds. */
  readonly at: number
  readonly username: string
  readonly token: string
  readonly model: string
  readonly stream: boolean
  readonly promptTokens: number
  readonly answerTokens: number
  /** Time that upstream takes for it. */
  readonly firstByteMs: number
  readonly perTokenMs: number
  /** How the first channel that is asked fails; null when it does not. */
  readonly failure: PlannedFailure | null
}

export type PlannedFailure = 'rate-limited' | 'server-error' | 'bad-request'

export interface HistoryOptions {
  readonly people: readonly Person[]
  /** How many requests there are in all. */
  readonly requests: number
  /** Unix milliseconds of its beginning and end. */
  readonly from: number
  readonly to: number
  readonly seed: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Upstream's bad afternoon: begins so far into the history and lasts so long. */
const OUTAGE_AT = 0.58
const OUTAGE_MS = 4 * HOUR_MS

/**
 * Plans weeks of traffic, oldest first: each habit has its hours of the day and week, all of it grows over time, sizes
 * scatter, a few requests fail, and one afternoon upstream is down. The same options give the same history.
 */
export function planHistory(options: HistoryOptions): PlannedRequest[] {
  const chance = seededChance(options.seed)
  const habits = options.people.flatMap((person) =>
    person.habits.map((habit) => ({ person, habit, weight: habit.weight })),
  )
  const planned = Array.from({ length: options.requests }, () => {
    const { person, habit } = pick(habits, chance)
    return planRequest({ person, habit, at: momentFor(habit, options, chance) }, options, chance)
  })
  return planned.sort((a, b) => a.at - b.at)
}

function planRequest(
  { person, habit, at }: { readonly person: Person; readonly habit: Habit; readonly at: number },
  options: HistoryOptions,
  chance: () => number,
): PlannedRequest {
  const { model } = pick(
    habit.models.map(([model, weight]) => ({ model, weight })),
    chance,
  )
  const isEmbedding = model.includes('embedding')
  return {
    at,
    username: person.username,
    token: habit.token,
    model,
    stream: !isEmbedding && chance() < habit.streamed,
    promptTokens: Math.round(scattered(habit.promptTokens, chance)),
    answerTokens: isEmbedding ? 0 : Math.max(8, Math.round(scattered(habit.answerTokens, chance))),
    firstByteMs: scattered(isEmbedding ? 90 : 480, chance),
    perTokenMs: isEmbedding ? 0 : scattered(model.startsWith('gpt-4o-mini') ? 9 : 16, chance),
    failure: failureAt(at, options, chance),
  }
}

function failureAt(
  at: number,
  options: HistoryOptions,
  chance: () => number,
): PlannedFailure | null {
  const outage = options.from + OUTAGE_AT * (options.to - options.from)
  if (at >= outage && at < outage + OUTAGE_MS && chance() < 0.6) return 'server-error'
  const luck = chance()
  if (luck < 0.008) return 'rate-limited'
  if (luck < 0.012) return 'server-error'
  return luck < 0.015 ? 'bad-request' : null
}

/** A moment at which this habit might ask: tried again until the hour suits it. */
function momentFor(habit: Habit, options: HistoryOptions, chance: () => number): number {
  for (;;) {
    const progress = chance()
    // Traffic doubles from beginning to end.
    if (chance() > (1 + progress) / 2) continue
    const at = Math.floor(options.from + progress * (options.to - options.from))
    if (chance() < suitability(habit.hours, at)) return at
  }
}

/** How likely this kind of use is at this moment, 0 to 1; days and hours in UTC. */
function suitability(hours: Habit['hours'], at: number): number {
  const hour = (at % DAY_MS) / HOUR_MS
  const weekday = new Date(at).getUTCDay()
  const isWeekend = weekday === 0 || weekday === 6
  const byDay = Math.exp(-(((hour - 14) / 4) ** 2))
  switch (hours) {
    case 'office':
      return isWeekend ? 0.05 * byDay : byDay
    case 'always':
      return 0.25 + 0.75 * byDay * (isWeekend ? 0.7 : 1)
    case 'nights':
      return hour >= 1 && hour < 4 ? 1 : 0
    default:
      return hours satisfies never
  }
}

/** Around a typical value with a long tail upwards (log-normal), never beyond eight times it. */
function scattered(typical: number, chance: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
  return Math.min(typical * 8, typical * Math.exp(normal * 0.6))
}

function pick<Choice extends { readonly weight: number }>(
  choices: readonly Choice[],
  chance: () => number,
): Choice {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  let left = chance() * total
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  const last = choices.at(-1)
  if (last === undefined) throw new RangeError('there is nothing to pick from')
  return last
}
