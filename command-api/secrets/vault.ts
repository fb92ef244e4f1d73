import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { Entropy } from './entropy.ts'

/** The kind of a secret: part of its encryption, so that a value moved into another column does not open there. */
export type SecretKind =
  | 'token-key'
  | 'channel-key'
  | 'channel-proxy'
  | 'option'
  | 'access-token'
  | 'webhook-secret'
  | 'redemption-code'
  | 'email-code'
  | 'known-browser'
  | 'answer'
  | 'response-id'

/**
 * Keeps secrets encrypted at rest and findable: AES-256-GCM for the value, HMAC-SHA-256 for the search, each under
 * a key of its own derived from the master key by HKDF (RFC 5869).
 */
export interface Vault {
  seal(kind: SecretKind, plain: string): Buffer
  /** Throws SecretUnreadable when the master key is not the one that sealed it or the value was changed. */
  open(kind: SecretKind, sealed: Buffer): string
  /** The same for the same text; says nothing about it without the master key. */
  fingerprint(kind: SecretKind, plain: string): Buffer
}

/** A sealed value that does not open: another master key, or a damaged row. */
export class SecretUnreadable extends Error {
  readonly code = 'SECRET_UNREADABLE'
  readonly retryable = false
  constructor(kind: SecretKind, cause?: unknown) {
    super(
      `a stored ${kind} cannot be decrypted: start with the MASTER_KEY (or key file) that it was written with`,
      { cause },
    )
    this.name = 'SecretUnreadable'
  }
}

const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MASTER_KEY_BYTES_MIN = 16

/** A vault on a master key of at least 16 bytes. */
export function openVault(masterKey: Buffer, entropy: Entropy): Vault {
  if (masterKey.length < MASTER_KEY_BYTES_MIN) {
    throw new RangeError(
      `the master key needs at least ${MASTER_KEY_BYTES_MIN} bytes, got ${masterKey.length}`,
    )
  }
  const sealingKey = subkey(masterKey, 'tollgate/seal/v1')
  const searchKey = subkey(masterKey, 'tollgate/fingerprint/v1')
  return {
    seal(kind, plain) {
      const nonce = entropy(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce)
      cipher.setAAD(Buffer.from(kind))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body])
    },
    open(kind, sealed) {
      if (sealed.length < 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== FORMAT) {
        throw new SecretUnreadable(kind)
      }
      const tagAt = 1 + NONCE_BYTES
      const bodyAt = tagAt + TAG_BYTES
      const decipher = createDecipheriv('aes-256-gcm', sealingKey, sealed.subarray(1, tagAt))
      decipher.setAAD(Buffer.from(kind))
      decipher.setAuthTag(sealed.subarray(tagAt, bodyAt))
      try {
        return decipher.update(sealed.subarray(bodyAt), undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        throw new SecretUnreadable(kind, cause)
      }
    },
    fingerprint: (kind, plain) =>
      createHmac('sha256', searchKey).update(kind).update('\0').update(plain).digest(),
  }
}

const subkey = (masterKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32))
