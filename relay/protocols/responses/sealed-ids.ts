import { isObject, type JsonObject } from '../../json.ts'
import { scanJson } from '../../json-scan.ts'
import type { IdNames } from '../id-names.ts'
import { editMembers, editObject, type MemberEdits } from '../json-members.ts'

/** Edits that rename the ids of a response object; one for each member that there is. */
function idEdits(response: JsonObject, names: IdNames): Map<string, unknown> {
  const edits = new Map<string, unknown>()
  const { id, previous_response_id: previous } = response
  if (typeof id === 'string' && id !== '') edits.set('id', names.seal(id))
  if (typeof previous === 'string') edits.set('previous_response_id', names.previous(previous))
  return edits
}

/** A response object's own bytes with its ids renamed; bytes that are no object stay as they are. */
export function withSealedIds(json: Buffer, response: JsonObject, names: IdNames): Buffer {
  const edits = idEdits(response, names)
  return edits.size === 0 ? json : editObject(json, edits)
}

/** The same of an event, whose response stands in its member; an error in it is `shown`. */
export function eventWithSealedIds(
  json: Buffer,
  event: JsonObject,
  names: IdNames,
  shown: (error: JsonObject) => JsonObject | null,
): Buffer {
  const { response } = event
  if (!isObject(response)) return json
  const scan = scanJson(json, BOUNDS)
  const member = typeof scan === 'string' ? undefined : scan.members.find(isResponse)
  if (typeof scan === 'string' || member === undefined) return json
  const start = json.indexOf(COLON, member.start) + 1
  const inner = json.subarray(start, member.end)
  const edits = idEdits(response, names)
  if (isObject(response['error'])) edits.set('error', shown(response['error']))
  const bytes = edits.size === 0 ? inner : editObject(inner, edits)
  return editMembers(json, scan.members, NO_EDITS, { at: { start, end: member.end }, bytes })
}

const isResponse = ({ key }: { readonly key: string }): boolean => key === 'response'
const NO_EDITS: MemberEdits = new Map()
const COLON = 0x3a
const BOUNDS = {
  placesMax: Number.MAX_SAFE_INTEGER,
  itemsMax: Number.MAX_SAFE_INTEGER,
  depthMax: 1_000,
  membersMax: Number.MAX_SAFE_INTEGER,
}
