import type { IncomingHttpHeaders } from 'node:http'
import type { UpstreamFacts } from '@tollgate/domain/account/request-facts.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { isObject, type JsonObject } from '../json.ts'
import { headerText } from '../upstream/header-text.ts'

/** Where providers say how they call a request: OpenAI and most others, Anthropic, Azure, AWS. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid']
/** The limit of ids, names and texts in a usage object. */
const CHARACTERS_MAX = 200
const USAGE_BYTES_MAX = 2_048
const DEPTH_MAX = 5

/** Upstream's names for an answer and its model, as the answer or some of its chunks give them. */
export type Told = Partial<Record<(typeof TOLD)[number], string>>
const TOLD = ['id', 'model', 'service_tier'] as const

/** Adds the facts of an answer or a chunk; later ones replace earlier ones. */
export function tell(told: Told, answer: JsonObject): Told {
  for (const name of TOLD) {
    const value = answer[name]
    if (typeof value === 'string' && value !== '') told[name] = value
  }
  return told
}

/** The facts that upstream sent beside its answer, cleaned and bounded, for the charge to keep. */
export function upstreamFacts(
  headers: IncomingHttpHeaders,
  told: Told,
  reported: unknown,
): UpstreamFacts {
  const usage = isObject(reported) ? reported : {}
  const kept = isObject(reported) ? keptOf(reported) : null
  return {
    requestId: firstTold(REQUEST_ID_HEADERS.map((name) => headerText(headers, name))),
    responseId: firstTold([told.id]),
    model: firstTold([told.model]),
    serviceTier: firstTold([told.service_tier, usage['service_tier'], googleTier(headers, usage)]),
    speed: firstTold([usage['speed']]),
    region: firstTold([usage['inference_geo'], headerText(headers, 'x-ms-region')]),
    usage: kept?.usage ?? null,
    isUsageCut: kept?.isCut ?? false,
  }
}

/**
 * Google tells the tier beside its answer (ai.google.dev/gemini-api/docs/priority-inference), Vertex AI in its usage
 * as the traffic that the answer was counted as; null = none that has a price.
 */
function googleTier(headers: IncomingHttpHeaders, { trafficType }: JsonObject): string | null {
  const told = headerText(headers, 'x-gemini-service-tier').toLowerCase()
  if (/^(?:standard|priority|flex)$/.test(told)) return told
  return TRAFFIC.get(trafficType) ?? null
}
const TRAFFIC: ReadonlyMap<unknown, string> = new Map([
  ['ON_DEMAND', 'standard'],
  ['ON_DEMAND_PRIORITY', 'priority'],
  ['ON_DEMAND_FLEX', 'flex'],
])

function firstTold(values: readonly unknown[]): string | null {
  for (const value of values) {
    if (typeof value === 'string' && value !== '') return foreignText(value, CHARACTERS_MAX)
  }
  return null
}

/**
 * A usage object as JSON, cleaned, at most 2 KB and five levels deep: objects nested by the thousand would overflow the
 * stack of JSON.stringify.
 */
export function keptOf(reported: JsonObject): { readonly usage: string; readonly isCut: boolean } {
  const room: Room = { bytes: USAGE_BYTES_MAX - BRACKETS, isCut: false }
  const usage = JSON.stringify(membersWithin(reported, room, DEPTH_MAX))
  return { usage, isCut: room.isCut }
}

/** The room that is left for facts, in bytes of JSON. */
interface Room {
  bytes: number
  isCut: boolean
}
const BRACKETS = 2
/** Bytes around a member: quotes, colon and comma. */
const AROUND_MEMBER = 4

function membersWithin(object: JsonObject, room: Room, depth: number): JsonObject {
  const members: [string, unknown][] = []
  for (const [name, value] of Object.entries(object)) {
    const kept = shortText(name, room)
    if (!takes(room, bytesOf(kept) + AROUND_MEMBER)) break
    const within = valueWithin(value, room, depth)
    if (within !== undefined) members.push([kept, within])
  }
  return Object.fromEntries(members)
}

/** Undefined when there is no room for it. */
function valueWithin(value: unknown, room: Room, depth: number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return takes(room, String(value).length) ? value : undefined
  }
  if (typeof value === 'string') {
    const text = shortText(value, room)
    return takes(room, bytesOf(text)) ? text : undefined
  }
  if (depth === 0 || !takes(room, BRACKETS)) {
    room.isCut = true
    return undefined
  }
  if (isObject(value)) return membersWithin(value, room, depth - 1)
  if (!Array.isArray(value)) return undefined
  const items: unknown[] = []
  for (const item of value) {
    const within = takes(room, 1) ? valueWithin(item, room, depth - 1) : undefined
    if (within === undefined) break
    items.push(within)
  }
  return items
}

/** Printable ASCII that JSON writes as it stands, as all names of counts are: nothing to clean, a byte a character. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]{0,200}$/

function shortText(written: string, room: Room): string {
  if (PLAIN.test(written)) return written
  if (written.length > CHARACTERS_MAX) room.isCut = true
  return foreignText(written, CHARACTERS_MAX)
}

/** With its quotes. */
const bytesOf = (text: string): number =>
  PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))

function takes(room: Room, bytes: number): boolean {
  if (room.bytes < bytes) {
    room.isCut = true
    return false
  }
  room.bytes -= bytes
  return true
}
