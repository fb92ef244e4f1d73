import { withoutControls } from '@tollgate/domain/text.ts'
import { isObject, type JsonObject } from '../json.ts'
import {
  type BeyondBounds,
  type JsonBounds,
  type JsonScan,
  type Member,
  scanJson,
} from '../json-scan.ts'
import { isRefusal, type Refusal, refusal } from '../refusal.ts'
import { editMembers, foldedKey } from './json-members.ts'
import type { Endpoint, ModelRequest } from './model-request.ts'

/** The members of a body that Tollgate reads. */
export interface KnownMembers {
  /** Read, edited or charged by. */
  readonly fields: ReadonlySet<string>
  /** Make up the prompt, as long as clients like. */
  readonly prompt: ReadonlySet<string>
  /** Any of these in place of the member that the endpoint requires. */
  readonly instead?: readonly string[]
}

/** The parts that every JSON request has in any protocol. */
export type JsonBody = Pick<
  ModelRequest,
  'raw' | 'fields' | 'members' | 'firstRole' | 'model' | 'stream'
> & { readonly body: JsonObject }

/** As long as a channel's list takes them; each is repeated in every event, row and refusal. */
const MODEL_BYTES_MAX = 255
/** Longer than any of them is; they are kept, copied and printed where a prompt's bytes are not. */
const FIELD_BYTES_MAX = 16 * 1024

/** Reads a body that scanBody passed; refuses with 400 a body without a model or a prompt, naming the member. */
export function readBody(
  endpoint: Endpoint,
  raw: Buffer,
  scan: JsonScan,
  known: KnownMembers,
): JsonBody | Refusal {
  const body = parseObject(raw)
  if (typeof body === 'string') return invalid(body, '')
  const wrong = wrongMember(scan.members, known)
  if (wrong !== null) return wrong
  const { pathModel, required } = endpoint
  if (pathModel !== undefined && body['model'] !== pathModel) {
    const named = editMembers(raw, scan.members, new Map([['model', pathModel]]))
    const scanned = scanBody(named)
    return isRefusal(scanned) ? scanned : readBody(endpoint, named, scanned, known)
  }
  const model = body['model']
  if (typeof model !== 'string') return NO_MODEL
  const problem = modelProblem(model)
  if (problem !== null) return problem
  const stream = body['stream'] ?? false
  if (typeof stream !== 'boolean') return invalid('stream must be true or false', 'stream')
  if ([required, ...(known.instead ?? [])].every((name) => isMissing(body[name]))) {
    return invalid(`${required} must be given and not be empty`, required)
  }
  const fields = Object.fromEntries(Object.entries(body).filter(([name]) => known.fields.has(name)))
  const { members, firstRole } = scan
  return { raw, body, fields, members, firstRole, model, stream }
}

/** Why a name is no model's; null = it may be one. */
export function modelProblem(model: string): Refusal | null {
  if (model.trim() === '') return NO_MODEL
  if (Buffer.byteLength(model) > MODEL_BYTES_MAX) {
    return invalid(`model must not be longer than ${MODEL_BYTES_MAX} bytes`, 'model')
  }
  // Prices, routes, charges and logs go by the name: one that cannot be stored as it is has none of them.
  if (withoutControls(model) !== model || !model.isWellFormed()) {
    return invalid('model must not contain control characters or halves of characters', 'model')
  }
  return null
}

/**
 * Upstreams differ in which of two like members they take, and some match names without regard to case: upstream must
 * be able to read only the member that is priced here.
 */
function wrongMember(members: readonly Member[], known: KnownMembers): Refusal | null {
  const seen = new Set<string>()
  for (const { key, start, end } of members) {
    const name = foldedKey(key)
    const isField = known.fields.has(name)
    if (!isField && !known.prompt.has(name)) continue
    if (key !== name) {
      return invalid(`the member ${shown(key)} must be written as "${name}"`, name)
    }
    if (seen.has(name)) return invalid(`the member "${name}" must be given only once`, name)
    seen.add(name)
    if (isField && end - start > FIELD_BYTES_MAX) {
      return invalid(`the member "${name}" must not be longer than ${FIELD_BYTES_MAX} bytes`, name)
    }
  }
  return null
}

const shown = (key: string): string => JSON.stringify(key.slice(0, 40))

/**
 * Ten times the size of long conversations with many tools, and more token ids than any model takes in: each takes a
 * thousand times as long to parse as a byte of text.
 */
const BODY_BOUNDS: JsonBounds = {
  placesMax: 200_000,
  itemsMax: 1_000_000,
  depthMax: 500,
  membersMax: 1_000,
}

const BEYOND: Readonly<Record<BeyondBounds, string>> = {
  placesMax: `more than ${BODY_BOUNDS.placesMax} objects, lists and members`,
  itemsMax: `more than ${BODY_BOUNDS.itemsMax} items in lists`,
  depthMax: `objects and lists nested deeper than ${BODY_BOUNDS.depthMax}`,
  membersMax: `more than ${BODY_BOUNDS.membersMax} members`,
}

/** Goes over a body's bytes before anything parses them; a Refusal of one whose shape would take too long. */
export function scanBody(raw: Buffer): JsonScan | Refusal {
  const scan = scanJson(raw, BODY_BOUNDS)
  return typeof scan === 'string' ? invalid(`the body must not have ${BEYOND[scan]}`, '') : scan
}

/** A body's object, or why it is none. */
export function parseObject(raw: Buffer): JsonObject | string {
  let body: unknown
  try {
    body = JSON.parse(raw.toString('utf8'))
  } catch (error) {
    return `the body is not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}`
  }
  return isObject(body) ? body : 'the body must be a JSON object'
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** A whole number within bounds. */
export const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

/** A body that no upstream could answer; `param` is the member that is wrong. */
export const invalid = (message: string, param: string): Refusal =>
  refusal(400, 'invalid_text_request', message, { param })

const NO_MODEL = invalid('model must be the name of a model, such as "gpt-4o-mini"', 'model')
