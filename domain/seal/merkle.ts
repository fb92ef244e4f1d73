/** SHA-256, given from outside as the domain knows no package. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** The end of one stream. */
export interface StreamEnd {
  readonly stream: string
  readonly revision: number
  /** The hash of the event there; lower-case hex. */
  readonly hash: string
}

/** RFC 6962, 2.1: leaves and nodes begin with different bytes, so that no node can be passed off as a leaf. */
const LEAF = 0x00
const NODE = 0x01

/**
 * Root of the Merkle tree (RFC 6962, 2.1) over stream ends, in lower-case hex. The order given does not matter: leaves
 * are sorted by stream name. A leaf is the UTF-8 text `<stream>\n<revision>\n<hash>`; names hold no line feed.
 * Throws a RangeError for a stream that is given twice.
 */
export function merkleRoot(ends: Iterable<StreamEnd>, sha256: Sha256): string {
  const sorted = [...ends].sort((a, b) => (a.stream < b.stream ? -1 : 1))
  /** Roots of full subtrees, each twice or more the size of the next: at most one for each bit of the count. */
  const subtrees: Subtree[] = []
  for (const [index, end] of sorted.entries()) {
    if (sorted[index + 1]?.stream === end.stream) {
      throw new RangeError(`stream ${end.stream} is a leaf twice`)
    }
    addLeaf(subtrees, hashOfLeaf(end, sha256), sha256)
  }
  let root = subtrees.pop()?.hash ?? sha256(new Uint8Array())
  while (subtrees.length > 0) root = join(subtrees.pop()?.hash ?? root, root, sha256)
  return hex(root)
}

interface Subtree {
  readonly leaves: number
  readonly hash: Uint8Array
}

function addLeaf(subtrees: Subtree[], leaf: Uint8Array, sha256: Sha256): void {
  let added: Subtree = { leaves: 1, hash: leaf }
  for (;;) {
    const last = subtrees.at(-1)
    if (last?.leaves !== added.leaves) break
    subtrees.pop()
    added = { leaves: 2 * added.leaves, hash: join(last.hash, added.hash, sha256) }
  }
  subtrees.push(added)
}

const text = new TextEncoder()

const hashOfLeaf = ({ stream, revision, hash }: StreamEnd, sha256: Sha256): Uint8Array =>
  sha256(prefixed(LEAF, text.encode(`${stream}\n${revision}\n${hash}`)))

const join = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array =>
  sha256(prefixed(NODE, left, right))

function prefixed(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(1 + parts.reduce((sum, part) => sum + part.length, 0))
  bytes[0] = prefix
  let end = 1
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  return bytes
}

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
