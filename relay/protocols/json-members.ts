import { type JsonBounds, type Member, scanJson, type Span } from '../json-scan.ts'

/** New values by key; undefined removes the member. Keys that are not there are added at the end. */
export type MemberEdits = ReadonlyMap<string, unknown>

/** Other bytes for a place inside a member that stays. */
export interface Patch {
  readonly at: Span
  readonly bytes: Buffer
}

/**
 * Changes members of a JSON object in its own bytes, leaving every other member exactly as the client wrote it: parsing
 * and printing again would lose digits of large numbers and costs more on big bodies. A member that equals an edited
 * key but for its case is taken out: upstreams that match keys without regard to case would read it instead. `json`
 * must be an object, and `members` those that scanJson found in it: long bodies are not read again.
 */
export function editMembers(
  json: Buffer,
  members: readonly Member[],
  edits: MemberEdits,
  patch: Patch | null = null,
): Buffer {
  const parts: Buffer[] = [Buffer.from('{')]
  const seen = new Set<string>()
  const edited = new Set([...edits.keys()].map(foldedKey))
  for (const member of members) {
    if (!edited.has(foldedKey(member.key))) {
      pushPart(parts, ...patched(json, member, patch))
      continue
    }
    if (!edits.has(member.key)) continue
    if (seen.has(member.key)) continue
    seen.add(member.key)
    pushMember(parts, member.key, edits.get(member.key))
  }
  for (const [key, value] of edits) if (!seen.has(key)) pushMember(parts, key, value)
  parts.push(Buffer.from('}'))
  return Buffer.concat(parts)
}

/** The same of a short object without a scan, such as a chunk of a stream; one nested too deeply stays as it is. */
export function editObject(json: Buffer, edits: MemberEdits): Buffer {
  const scan = scanJson(json, SHORT_OBJECT)
  return typeof scan === 'string' ? json : editMembers(json, scan.members, edits)
}

/** Whether a JSON text has more objects, lists and members than `most`, or is nested too deeply to be read at all. */
export const hasMorePlacesThan = (json: Buffer, most: number): boolean =>
  json.length > most && typeof scanJson(json, { ...SHORT_OBJECT, placesMax: most }) === 'string'

const SHORT_OBJECT: JsonBounds = {
  placesMax: Number.MAX_SAFE_INTEGER,
  itemsMax: Number.MAX_SAFE_INTEGER,
  depthMax: 1_000,
  membersMax: Number.MAX_SAFE_INTEGER,
}

function patched(json: Buffer, { start, end }: Span, patch: Patch | null): readonly Buffer[] {
  if (patch === null || patch.at.start < start || patch.at.end > end) {
    return [json.subarray(start, end)]
  }
  return [json.subarray(start, patch.at.start), patch.bytes, json.subarray(patch.at.end, end)]
}

/**
 * A key without its case, as Go's encoding/json compares them (simple folding: the long s is an s, the Kelvin sign a k).
 */
export const foldedKey = (key: string): string => key.toUpperCase().toLowerCase()

function pushMember(parts: Buffer[], key: string, value: unknown): void {
  if (value === undefined) return
  pushPart(parts, Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(value)}`))
}

function pushPart(parts: Buffer[], ...part: readonly Buffer[]): void {
  if (parts.length > 1) parts.push(Buffer.from(','))
  parts.push(...part)
}
