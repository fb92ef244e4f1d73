const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** New values by key; undefined removes the member. Keys that are not there are added at the end. */
export type MemberEdits = ReadonlyMap<string, unknown>

/**
 * Changes members of a JSON object in its own bytes, leaving every other member exactly as the client wrote it:
 * parsing and printing again would lose digits of large numbers and costs more on big bodies. What equals an edited
 * key but for its case is taken out: upstreams that match keys without regard to case would read it instead.
 * `json` must already have been parsed successfully as an object.
 */
export function editMembers(json: Buffer, edits: MemberEdits): Buffer {
  const parts: Buffer[] = [Buffer.from('{')]
  const seen = new Set<string>()
  const edited = new Set([...edits.keys()].map(foldedKey))
  for (const member of membersOf(json)) {
    if (!edited.has(foldedKey(member.key))) {
      pushPart(parts, json.subarray(member.start, member.end))
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

/** The keys of a JSON object as they stand in its bytes, in order, repeated ones too. `json` as for editMembers. */
export const keysOf = (json: Buffer): readonly string[] => membersOf(json).map(({ key }) => key)

/** Whether a JSON text has more objects, lists and members than `most`. Tells of any bytes, before they are parsed. */
export function hasMorePlacesThan(json: Buffer, most: number): boolean {
  if (json.length <= most) return false
  let count = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at) - 1
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET || byte === COLON) count += 1
    if (count > most) return true
  }
  return false
}

/**
 * A key without its case, as Go's encoding/json compares them (simple folding: the long s is an s, the Kelvin sign a k).
 */
export const foldedKey = (key: string): string => key.toUpperCase().toLowerCase()

function pushMember(parts: Buffer[], key: string, value: unknown): void {
  if (value === undefined) return
  pushPart(parts, Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(value)}`))
}

function pushPart(parts: Buffer[], part: Buffer): void {
  if (parts.length > 1) parts.push(Buffer.from(','))
  parts.push(part)
}

interface Member {
  readonly key: string
  /** Of the key's opening quote. */
  readonly start: number
  /** Behind the value. */
  readonly end: number
}

function membersOf(json: Buffer): readonly Member[] {
  const members: Member[] = []
  let at = json.indexOf(OPEN_BRACE) + 1
  for (;;) {
    const start = startOfKey(json, at)
    if (start === null) return members
    const keyEnd = endOfString(json, start)
    const key = String(JSON.parse(json.toString('utf8', start, keyEnd)))
    const end = endOfValue(json, json.indexOf(COLON, keyEnd) + 1)
    members.push({ key, start, end })
    at = end
  }
}

/** The next quote, before which only white space and a comma can stand; null at the end of the object. */
function startOfKey(json: Buffer, from: number): number | null {
  for (let at = from; at < json.length; at += 1) {
    if (json[at] === QUOTE) return at
    if (json[at] === CLOSE_BRACE) return null
  }
  return null
}

/** Behind the value that begins at or after `from`, without the white space that follows it. */
function endOfValue(json: Buffer, from: number): number {
  let depth = 0
  let end = from
  for (let at = from; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) {
      at = endOfString(json, at) - 1
      end = at + 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return end
      depth -= 1
      end = at + 1
    } else if (byte === COMMA && depth === 0) {
      return end
    } else if (byte !== undefined && byte > 0x20) {
      end = at + 1
    }
  }
  return end
}

function endOfString(json: Buffer, quote: number): number {
  let at = quote
  for (;;) {
    at = json.indexOf(QUOTE, at + 1)
    if (at === -1) return json.length
    let slashes = 0
    while (json[at - 1 - slashes] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
}
