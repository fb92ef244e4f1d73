import type { BodyOf } from '../../core/calls.ts'
import type { Problems } from '../../parts/form/form-values.ts'
import { dimensionsFor, type ReplayBucket } from '../../parts/replays/replay-queries.ts'
import { monthFrom } from '../../parts/range/months.ts'
import { readMoment, momentText } from '../../parts/time-format.ts'

/** The fields of the form of a replay, as typed. */
export interface ReplayForm {
  readonly name: string
  readonly from: string
  readonly to: string
  /** Positions of the log, both included; '' = from its beginning, to its end. */
  readonly first: string
  readonly last: string
  readonly prices: (typeof PRICES)[number]
  /** A position of the log whose prices count, with `prices` = revision. */
  readonly revision: string
  readonly bucket: ReplayBucket
  /** An IANA name; '' = the browser's. */
  readonly zone: string
  /** Ids as decimal texts, and names of groups and models; none = all. */
  readonly users: readonly string[]
  readonly tokens: readonly string[]
  readonly channels: readonly string[]
  readonly groups: readonly string[]
  readonly models: readonly string[]
  readonly endpoints: readonly string[]
  /** `true` or `false` lets through only such charges; '' all. */
  readonly stream: string
  readonly estimated: string
  readonly cancelled: string
  readonly late: string
  /** Breakdowns, and one more by two of them together: `user+model`, or ''. */
  readonly by: readonly string[]
  readonly pair: string
}

export type ReplayProblem =
  | 'name'
  | 'from'
  | 'to'
  | 'order'
  | 'position'
  | 'positionOrder'
  | 'revision'
  | 'many'
  | 'unknown'
  | 'zone'

export const PRICES = ['as-charged', 'today', 'revision'] as const
const NAME_CHARACTERS_MAX = 100
const MINUTE_SECONDS = 60
const WEEK_SECONDS = 7 * 86_400
/** As many as the server takes in one filter. */
const LIST_MAX = 1_000
const IDS = ['users', 'tokens', 'channels'] as const
/** Filters by what is either so or not. */
export const FLAGS = ['stream', 'estimated', 'cancelled', 'late'] as const
const LISTS = ['users', 'tokens', 'channels', 'groups', 'models', 'endpoints'] as const

/**
 * The last seven days at today's prices or those of a revision, by everything that the role may see. They end with the
 * running minute, so that charges of this minute are in.
 */
export const newReplay = (
  nowSeconds: number,
  zone: string,
  isAdmin: boolean,
  revision?: number,
): ReplayForm => ({
  name: '',
  from: momentText(minuteEnd(nowSeconds) - WEEK_SECONDS),
  to: momentText(minuteEnd(nowSeconds)),
  first: '',
  last: '',
  prices: revision === undefined ? 'today' : 'revision',
  revision: revision === undefined ? '' : String(revision),
  bucket: 'day',
  zone,
  users: [],
  tokens: [],
  channels: [],
  groups: [],
  models: [],
  endpoints: [],
  stream: '',
  estimated: '',
  cancelled: '',
  late: '',
  by: dimensionsFor(isAdmin),
  pair: '',
})

/** The calendar month before that of a moment, in the reader's zone, as the form has it. */
export function lastMonth(nowSeconds: number): Pick<ReplayForm, 'from' | 'to'> {
  const { from, to } = monthFrom(nowSeconds, -1)
  return { from: momentText(from / 1000), to: momentText(to / 1000) }
}

const minuteEnd = (seconds: number): number =>
  (Math.floor(seconds / MINUTE_SECONDS) + 1) * MINUTE_SECONDS

/** The problems of the form, by field. */
export function replayProblems(form: ReplayForm): Problems<ReplayForm, ReplayProblem> {
  const name = form.name.trim()
  const from = readMoment(form.from)
  const to = readMoment(form.to)
  const isOrdered = from === null || to === null || from < to
  const needsRevision = form.prices === 'revision' && !isNumber(form.revision.trim())
  const unknown = IDS.filter((field) => form[field].some((id) => !isNumber(id)))
  const tooLong = LISTS.filter((field) => form[field].length > LIST_MAX)
  return {
    ...(name !== '' && name.length <= NAME_CHARACTERS_MAX ? {} : { name: 'name' }),
    ...(from === null ? { from: 'from' } : {}),
    ...(to === null ? { to: 'to' } : isOrdered ? {} : { to: 'order' }),
    ...positionProblems(form),
    ...(needsRevision ? { revision: 'revision' } : {}),
    ...(isZone(form.zone) ? {} : { zone: 'zone' }),
    ...Object.fromEntries(unknown.map((field) => [field, 'unknown'])),
    ...Object.fromEntries(tooLong.map((field) => [field, 'many'])),
  }
}

const isNumber = (text: string): boolean => /^\d{1,15}$/.test(text)

function positionProblems({
  first,
  last,
}: Pick<ReplayForm, 'first' | 'last'>): Problems<ReplayForm, ReplayProblem> {
  const [from, to] = [first.trim(), last.trim()]
  const isWrong = (text: string): boolean => text !== '' && !isNumber(text)
  const isReversed = isNumber(from) && isNumber(to) && Number(to) < Number(from)
  return {
    ...(isWrong(from) ? { first: 'position' } : {}),
    ...(isWrong(to) ? { last: 'position' } : isReversed ? { last: 'positionOrder' } : {}),
  }
}

/** The part of the log that is asked for; none = all of it. */
function positionsOf(form: Pick<ReplayForm, 'first' | 'last'>) {
  const [first, last] = [form.first.trim(), form.last.trim()]
  if (first === '' && last === '') return {}
  const positions = {
    ...(first === '' ? {} : { first: Number(first) }),
    ...(last === '' ? {} : { last: Number(last) }),
  }
  return { positions }
}

/** The body that asks for it. */
export function replayBody(form: ReplayForm, isAdmin: boolean): BodyOf<'POST', '/api/replays'> {
  const filters = {
    ...(isAdmin ? { users: form.users.map(Number), channels: form.channels.map(Number) } : {}),
    tokens: form.tokens.map(Number),
    groups: form.groups,
    models: form.models,
    endpoints: form.endpoints,
  }
  const asked = Object.entries(filters).filter(([, list]) => list.length > 0)
  const flags = FLAGS.filter((flag) => form[flag] !== '').map((flag) => [
    flag,
    form[flag] === 'true',
  ])
  return {
    name: form.name.trim(),
    from: (readMoment(form.from) ?? 0) * 1_000,
    to: (readMoment(form.to) ?? 0) * 1_000,
    ...positionsOf(form),
    filters: Object.fromEntries([...asked, ...flags]),
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

function isZone(zone: string): boolean {
  if (zone.trim() === '') return true
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone.trim() }) !== null
  } catch {
    // A RangeError says that there is none of this name.
    return false
  }
}
