import type { Problems } from '../../parts/form/form-values.ts'
import { dimensionsFor } from '../../parts/replays/replay-queries.ts'
import { readMoment, momentText } from '../../parts/time-format.ts'

/** What the form of a replay holds, as typed. */
export interface ReplayForm {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly prices: string
  /** A position of the log whose prices count, with `prices` = revision. */
  readonly revision: string
  readonly bucket: string
  /** An IANA name; '' = the browser's. */
  readonly zone: string
  /** Numbers, or names of groups, with commas between; '' = all. */
  readonly users: string
  readonly tokens: string
  readonly channels: string
  readonly groups: string
  readonly models: readonly string[]
  /** Breakdowns, and one more by two of them together: `user+model`, or ''. */
  readonly by: readonly string[]
  readonly pair: string
}

export type ReplayProblem = 'name' | 'from' | 'to' | 'order' | 'revision' | 'numbers' | 'zone'

export const PRICES = ['as-charged', 'today', 'revision'] as const
const NAME_CHARACTERS_MAX = 100
const WEEK_SECONDS = 7 * 86_400
/** As many as the server takes in one filter. */
const LIST_MAX = 1_000

/** The last seven days at today's prices, by everything that the role may see. */
export const newReplay = (nowSeconds: number, zone: string, isAdmin: boolean): ReplayForm => ({
  name: '',
  from: momentText(nowSeconds - WEEK_SECONDS),
  to: momentText(nowSeconds),
  prices: 'today',
  revision: '',
  bucket: 'day',
  zone,
  users: '',
  tokens: '',
  channels: '',
  groups: '',
  models: [],
  by: dimensionsFor(isAdmin),
  pair: '',
})

/** What is wrong, by field. */
export function replayProblems(form: ReplayForm): Problems<ReplayForm, ReplayProblem> {
  const name = form.name.trim()
  const from = readMoment(form.from)
  const to = readMoment(form.to)
  const isOrdered = from === null || to === null || from < to
  const needsRevision = form.prices === 'revision' && !/^\d{1,15}$/.test(form.revision.trim())
  const numbers = (['users', 'tokens', 'channels'] as const).filter(
    (field) => numbersOf(form[field]) === null,
  )
  return {
    ...(name !== '' && name.length <= NAME_CHARACTERS_MAX ? {} : { name: 'name' }),
    ...(from === null ? { from: 'from' } : {}),
    ...(to === null ? { to: 'to' } : isOrdered ? {} : { to: 'order' }),
    ...(needsRevision ? { revision: 'revision' } : {}),
    ...(isZone(form.zone) ? {} : { zone: 'zone' }),
    ...Object.fromEntries(numbers.map((field) => [field, 'numbers'])),
  }
}

/** The body that asks for it. */
export function replayBody(form: ReplayForm, isAdmin: boolean): object {
  const filters = {
    ...(isAdmin ? { users: numbersOf(form.users), channels: numbersOf(form.channels) } : {}),
    tokens: numbersOf(form.tokens),
    groups: wordsOf(form.groups),
    models: form.models,
  }
  const asked = Object.entries(filters).filter(([, list]) => list !== null && list.length > 0)
  return {
    name: form.name.trim(),
    from: (readMoment(form.from) ?? 0) * 1_000,
    to: (readMoment(form.to) ?? 0) * 1_000,
    filters: Object.fromEntries(asked),
    prices: form.prices === 'revision' ? Number(form.revision) : form.prices,
    bucket: form.bucket,
    zone: form.zone.trim() || Intl.DateTimeFormat().resolvedOptions().timeZone,
    by: [...form.by, ...(form.pair === '' ? [] : [form.pair])],
  }
}

/** The pairs of breakdowns that a role may ask for. */
export const pairsFor = (isAdmin: boolean): readonly string[] =>
  dimensionsFor(isAdmin).flatMap((one, index, all) =>
    all.slice(index + 1).map((other) => `${one}+${other}`),
  )

const wordsOf = (written: string): readonly string[] =>
  written
    .split(/[,，]/u)
    .map((word) => word.trim())
    .filter(Boolean)

/** Null where one is no number, or there are too many. */
function numbersOf(written: string): readonly number[] | null {
  const words = wordsOf(written)
  const isFit = words.length <= LIST_MAX && words.every((word) => /^\d{1,15}$/u.test(word))
  return isFit ? words.map(Number) : null
}

function isZone(zone: string): boolean {
  if (zone.trim() === '') return true
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone.trim() }) !== null
  } catch {
    // A RangeError says that there is none of this name.
    return false
  }
}
