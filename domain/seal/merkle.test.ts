import { createHash } from 'node:crypto'
import { assert, constantFrom, nat, property, record, uniqueArray } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { merkleRoot, type Sha256, type StreamEnd } from './merkle.ts'

const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest()

/** The definition of RFC 6962, 2.1, word for word: slow and plain. */
function definition(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves
  if (first === undefined) return sha256(new Uint8Array())
  if (leaves.length === 1) return sha256(Buffer.concat([Buffer.of(0), first]))
  let k = 1
  while (2 * k < leaves.length) k *= 2
  return sha256(
    Buffer.concat([Buffer.of(1), definition(leaves.slice(0, k)), definition(leaves.slice(k))]),
  )
}

const HASHES = ['a', 'b', 'c'].map((letter) => letter.repeat(64))
const someEnds = uniqueArray(
  record({
    stream: nat(500).map((number) => `account-${number}`),
    revision: nat(50),
    hash: constantFrom(...HASHES),
  }),
  { selector: (end) => end.stream, minLength: 1, maxLength: 70 },
)

describe('the Merkle root of stream ends', () => {
  test('given no streams, when hashed, then it is the hash of nothing', () => {
    expect(merkleRoot([], sha256)).toBe(Buffer.from(sha256(new Uint8Array())).toString('hex'))
  })

  test('given any streams in any order, when hashed, then it is the root of RFC 6962 over their names', () => {
    assert(
      property(someEnds, (ends) => {
        const leaves = ends
          .toSorted((a, b) => (a.stream < b.stream ? -1 : 1))
          .map(({ stream, revision, hash }) => Buffer.from(`${stream}\n${revision}\n${hash}`))
        const root = Buffer.from(definition(leaves)).toString('hex')
        expect(merkleRoot(ends, sha256)).toBe(root)
        expect(merkleRoot(ends.toReversed(), sha256)).toBe(root)
      }),
    )
  })

  test('given any streams, when one leaf is another, left out or added, then the root is another', () => {
    const change = constantFrom('stream', 'revision', 'hash', 'left out', 'added')
    const changes = {
      stream: (end: StreamEnd) => [{ ...end, stream: `${end.stream}x` }],
      revision: (end: StreamEnd) => [{ ...end, revision: end.revision + 1 }],
      hash: (end: StreamEnd) => [{ ...end, hash: 'd'.repeat(64) }],
      'left out': (): StreamEnd[] => [],
      added: (end: StreamEnd) => [end, { ...end, stream: 'settings' }],
    }
    assert(
      property(someEnds, nat(), change, (ends, pick, what) => {
        const at = pick % ends.length
        const changed = ends.flatMap((end, index) => (index === at ? changes[what](end) : [end]))
        expect(merkleRoot(changed, sha256)).not.toBe(merkleRoot(ends, sha256))
      }),
    )
  })

  test('given the two parts of a node as a leaf, when hashed, then the hash is not the node’s', () => {
    const inputs: Uint8Array[] = []
    const noting: Sha256 = (bytes) => {
      inputs.push(bytes)
      return sha256(bytes)
    }
    const ends = ['a', 'b', 'c'].map((stream, revision) => ({ stream, revision, hash: '' }))
    merkleRoot(ends, noting)
    expect(inputs.map((bytes) => [bytes[0], bytes.length])).toEqual([
      [0, 5],
      [0, 5],
      [1, 65],
      [0, 5],
      [1, 65],
    ])
  })

  test('given a stream twice, when hashed, then it is refused', () => {
    const end = { stream: 'account-1', revision: 1, hash: '' }
    expect(() => merkleRoot([end, end], sha256)).toThrow(/account-1 is a leaf twice/)
  })
})
