import { type ApiRoute, type CsvRow, failure, route } from '../../http-contract/api-route.ts'
import { withTimes } from '../../http-contract/csv-times.ts'
import { queryTextOf } from '../../http-contract/request-values.ts'
import { instantOf } from '../../http-contract/instant.ts'
import type { Position } from '@tollgate/domain/event.ts'
import { z } from 'zod'
import { queryInt, queryText } from '../../http/query.ts'
import { causesOf } from './causes.ts'
import { type EventLog, factsOf, noteIdOf, type StoredText } from './event-log.ts'
import { type EventFilter, searchEvents } from './search-events.ts'

export interface EventRouteDeps {
  readonly log: EventLog
  /** User names by id, deleted users' too; unknown ids are left out. */
  readonly usernames: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** Administrators' words by note id; erased ones are left out. */
  readonly notes: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Positions of all postings of a request, by the journal. */
  readonly positionsOfRequest: (requestId: string) => Promise<readonly Position[]>
}

const EVENT = z.strictObject({
  position: z.int(),
  stream: z.string(),
  revision: z.int(),
  id: z.string(),
  type: z.string(),
  /** Unix milliseconds: by the event itself, and by the store. */
  at: z.int().nullable(),
  recorded_at: z.int(),
  actor: z.string(),
  /** Name of an actor who is a user; '' for others. */
  actor_name: z.string(),
  correlation_id: z.string(),
  causation_id: z.string().nullable(),
  /** As stored, byte for byte: the hash in `metadata` is over these texts. */
  data: z.string(),
  metadata: z.string(),
})
type EventEntity = z.infer<typeof EVENT>

/** For the API reference. */
const EXAMPLE_EVENT: EventEntity = {
  position: 1_204,
  stream: 'account-7',
  revision: 31,
  id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
  type: 'QuotaCredited',
  at: 1_770_120_000_000,
  recorded_at: 1_770_120_000_004,
  actor: 'user:1',
  actor_name: 'root',
  correlation_id: '20260203120000123456789aB3dE5fG',
  causation_id: null,
  data: '{"at":1770120000000,"amount":500000,"source":"grant","reason":""}',
  metadata: '{"actor":"user:1","correlationId":"20260203120000123456789aB3dE5fG",…}',
}

const PLACE = z.strictObject({ position: z.int(), hash: z.string() })

const EVENTS_DEFAULT = 50
/** Most events of a page: some megabytes of answer. */
const EVENTS_MOST = 1_000

const TEXTS = {
  position: '位置应为不小于 0 的整数',
  unknown: '该位置没有事件',
  direction: '参数 after 与 before 只能使用其中一个',
} as const

const instantProblem = (name: string): string =>
  `参数 ${name} 不是有效的时间：请使用带时区的 RFC 3339 时间（如 2026-10-01T00:00:00+08:00）或 unix 毫秒`

/** A moment in unix milliseconds; absent = null. */
const instant = (name: string, meaning: string) =>
  z
    .preprocess(
      queryTextOf,
      z
        .string()
        .refine((text) => text.trim() === '' || instantOf(text) !== null, instantProblem(name))
        .transform((text) => (text.trim() === '' ? null : instantOf(text))),
    )
    .meta({ type: 'string', description: `${meaning}. RFC 3339 with a zone, or unix milliseconds` })

/** -1 stands before every event. */
const isPosition = (text: string): boolean => /^(?:-1|\d{1,15})$/.test(text)
const positionQuery = () =>
  queryText().refine((text) => text === '' || isPosition(text), TEXTS.position)

const eventsQuery = z.object({
  stream: queryText().describe(
    'Events of this stream, such as account-7; empty = of the whole log',
  ),
  type: queryText().describe('Type of the event, such as UsageCharged; empty = any'),
  actor: queryText().describe('Cause of the event: user:<id>, relay:<id> or system; empty = any'),
  correlation_id: queryText().describe(
    'Events of the request with this correlation id; empty = of all',
  ),
  from: instant('from', 'Events from here on, by their own time; absent = from the first'),
  to: instant('to', 'Events before this, by their own time; absent = up to the last'),
  after: positionQuery().describe(
    'Events above this position, oldest first; -1 = from the first. Not together with before',
  ),
  before: positionQuery().describe(
    'Events below this position, newest first; empty = from the end of the log',
  ),
  limit: queryInt().meta({
    description: `Events of a page, at most ${EVENTS_MOST}: more is read as ${EVENTS_MOST}`,
    default: EVENTS_DEFAULT,
  }),
})

const inPath = z.object({
  position: z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text), TEXTS.position)
    .transform(Number)
    .meta({ type: 'integer', minimum: 0, description: 'Position of the event in the log' }),
})

/** Browsing the event log as it is stored, whichever event store keeps it (role 10). */
export const eventRoutes = (deps: EventRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/ledger/events',
    access: 'admin',
    summary:
      'The log or one stream, newest first from `before` down; with `after` oldest first, for following. A call looks through a bounded part: go on from `next`',
    query: eventsQuery,
    answer: {
      data: z.strictObject({
        events: z.array(EVENT),
        next: z.int().nullable(),
        searched: z.int(),
      }),
    },
    example: {
      query: { stream: 'account-7' },
      data: { events: [EXAMPLE_EVENT], next: null, searched: 1 },
    },
    csv: {
      name: 'events',
      columns: Object.keys(EVENT.shape),
      batches: ({ query }) => everyEvent(deps, filterOf(query)),
    },
    handle: async ({ query }) => {
      const { after, before } = query
      if (after !== '' && before !== '') return failure(TEXTS.direction)
      const place =
        after === '' ? { before: before === '' ? null : Number(before) } : { after: Number(after) }
      const limit = query.limit <= 0 ? EVENTS_DEFAULT : Math.min(query.limit, EVENTS_MOST)
      const page = await searchEvents(deps.log, filterOf(query), place, limit)
      return { data: { ...page, events: await tellEvents(deps, page.events) } }
    },
  }),
  route({
    method: 'GET',
    path: '/api/ledger/events/:position',
    access: 'admin',
    summary: 'One event as stored, with its neighbours in its stream',
    params: inPath,
    answer: {
      data: z.strictObject({
        event: EVENT,
        note: z.string().nullable().meta({
          description:
            'Why an administrator changed the balance, in their words; null when they gave none or it is erased',
        }),
        previous: PLACE.nullable(),
        next: PLACE.nullable(),
      }),
    },
    example: {
      params: { position: '1204' },
      data: {
        event: EXAMPLE_EVENT,
        note: null,
        previous: { position: 1_201, hash: '9c2e…' },
        next: null,
      },
    },
    handle: async ({ params }) => {
      const event = await deps.log.readStoredAt(params.position)
      if (event === null) return failure(TEXTS.unknown)
      const noteId = noteIdOf(event)
      const [[told], notes, previous, next] = await Promise.all([
        tellEvents(deps, [event]),
        noteId === null ? null : deps.notes([noteId]),
        event.revision === 0 ? null : placeIn(deps.log, event.stream, event.revision - 1),
        placeIn(deps.log, event.stream, event.revision + 1),
      ])
      return { data: { event: told, note: notes?.get(noteId ?? '') ?? null, previous, next } }
    },
  }),
  route({
    method: 'GET',
    path: '/api/ledger/events/:position/causes',
    access: 'admin',
    summary:
      'What an event came from and what came of it, across streams: a tree by `parent`, out of the part of the log from `from` to `to` and, wherever they stand, the postings of its request and the life of its order, code or task',
    reads: ['journal'],
    params: inPath,
    answer: {
      data: z.strictObject({
        events: z.array(EVENT.extend({ parent: z.int().nullable() })),
        from: z.int(),
        to: z.int(),
        is_cut: z.boolean(),
      }),
    },
    example: {
      params: { position: '1204' },
      data: { events: [{ ...EXAMPLE_EVENT, parent: null }], from: 0, to: 6_204, is_cut: false },
    },
    handle: async ({ params }) => {
      const event = await deps.log.readStoredAt(params.position)
      if (event === null) return failure(TEXTS.unknown)
      const { events, isCut, from, to } = await causesOf(deps.log, event, deps.positionsOfRequest)
      const told = await tellEvents(deps, events)
      const parents = new Map(events.map(({ position, parent }) => [position, parent]))
      return {
        data: {
          events: told.map((one) => ({ ...one, parent: parents.get(one.position) ?? null })),
          from,
          to,
          is_cut: isCut,
        },
      }
    },
  }),
]

const TIMES = ['at', 'recorded_at'] as const
/** Events of a batch of a file: with their texts some hundred kilobytes. */
const BATCH_EVENTS = 100

/** All events that a filter lets through, newest first. */
async function* everyEvent(
  deps: EventRouteDeps,
  filter: EventFilter,
): AsyncGenerator<readonly CsvRow[]> {
  let before: Position | null = null
  do {
    const { events, next } = await searchEvents(deps.log, filter, { before }, BATCH_EVENTS)
    yield (await tellEvents(deps, events)).map((event) => withTimes(event, TIMES))
    before = next
  } while (before !== null)
}

function filterOf(query: z.output<typeof eventsQuery>): EventFilter {
  return {
    ...(query.stream === '' ? {} : { stream: query.stream }),
    ...(query.type === '' ? {} : { type: query.type }),
    ...(query.actor === '' ? {} : { actor: query.actor }),
    ...(query.correlation_id === '' ? {} : { correlationId: query.correlation_id }),
    ...(query.from === null ? {} : { from: query.from }),
    ...(query.to === null ? {} : { to: query.to }),
  }
}

async function placeIn(
  log: EventLog,
  stream: string,
  revision: number,
): Promise<z.infer<typeof PLACE> | null> {
  for await (const event of log.readStoredStream(stream, { from: revision, limit: 1 })) {
    return { position: event.position, hash: factsOf(event).hash }
  }
  return null
}

async function tellEvents(
  { usernames }: Pick<EventRouteDeps, 'usernames'>,
  events: readonly StoredText[],
): Promise<readonly EventEntity[]> {
  const told = events.map((event) => ({ event, facts: factsOf(event) }))
  const names = await usernames([
    ...new Set(told.flatMap(({ facts }) => userOf(facts.actor) ?? [])),
  ])
  return told.map(({ event, facts }) => ({
    position: event.position,
    stream: event.stream,
    revision: event.revision,
    id: event.id,
    type: event.type,
    at: facts.at,
    recorded_at: event.recordedAt,
    actor: facts.actor,
    actor_name: names.get(userOf(facts.actor) ?? 0) ?? '',
    correlation_id: facts.correlationId,
    causation_id: facts.causationId,
    data: event.dataText,
    metadata: event.metadataText,
  }))
}

function userOf(actor: string): number | null {
  const [, id] = /^user:(\d{1,15})$/.exec(actor) ?? []
  return id === undefined ? null : Number(id)
}
