import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { EventPlace, StoredEvent } from './stored-event.ts'
import { objectIn } from './stored-event.ts'

/** How the hash of an event compares with its stored bytes and with the event before it. */
export interface ChainCheck {
  /** 1 or 2; null for metadata that names another. */
  readonly version: number | null
  /** In the metadata; '' where there is none. */
  readonly stored: string
  /** Worked out from the stored bytes. */
  readonly computed: string
  /** Which the event says it follows, and which the event before it has. */
  readonly follows: string
  readonly previous: string
  /** Data and metadata are the bytes that were hashed, of this stream, type and id. */
  readonly isOwn: boolean
  /** It follows the event that stands before it. */
  readonly isLinked: boolean
}

const HASH_MEMBER = /,"hash":"([0-9a-f]{64})"\}$/
/** Stands before the first event of a stream, from version 2 on. */
const NO_HASH = '0'.repeat(64)

/**
 * Works an event's hash out again. Version 1 hashes one text: the hash before in hex, data, metadata without the hash;
 * version 2 hashes 3 × 32 bytes: the hash before and those of the two texts. WebCrypto is missing on plain HTTP.
 */
export function checkChain(event: StoredEvent, previous: EventPlace | null): ChainCheck {
  const stored = HASH_MEMBER.exec(event.metadata)?.[1] ?? ''
  const hashed = event.metadata.replace(HASH_MEMBER, '}')
  const claims = objectIn(hashed)
  const { chainVersion = 1, prevHash } = claims
  const version = chainVersion === 1 || chainVersion === 2 ? chainVersion : null
  const follows = typeof prevHash === 'string' ? prevHash : ''
  const computed = version === null ? '' : hashOf(version, follows, event.data, hashed)
  const isNamed = (['stream', 'type', 'id'] as const).every((name) =>
    version === 1 && claims[name] === undefined ? true : claims[name] === event[name],
  )
  const before = previous?.hash ?? ''
  return {
    version,
    stored,
    computed,
    follows,
    previous: before,
    isOwn: stored !== '' && stored === computed && isNamed,
    isLinked: follows === before && (event.revision === 0) === (previous === null),
  }
}

function hashOf(version: 1 | 2, prevHash: string, data: string, metadata: string): string {
  const hashed = (text: string): Uint8Array => sha256(utf8ToBytes(text))
  if (version === 1) return bytesToHex(hashed(prevHash + data + metadata))
  const before = hexToBytes(/^[0-9a-f]{64}$/.test(prevHash) ? prevHash : NO_HASH)
  return bytesToHex(sha256(concatBytes(before, hashed(data), hashed(metadata))))
}
