import { argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Entropy } from '../secrets/entropy.ts'

/**
 * Passwords as argon2id hashes in PHC form, with the parameters that the OWASP password storage cheat sheet gives
 * first: 19 MiB, 2 passes, 1 lane. Hashing runs off the event loop, a few at a time.
 */
export interface Passwords {
  hash(password: string): Promise<string>
  /** With a null hash (unknown user, or one without a password) the same work is done and the answer is false. */
  verify(password: string, hash: string | null): Promise<boolean>
}

/** More sign-ins wait than can be served soon; ask again later. */
export class TooManyPasswordChecks extends Error {
  readonly code = 'TOO_MANY_PASSWORD_CHECKS'
  readonly retryable = true
  constructor() {
    super('too many passwords are being checked at once')
    this.name = 'TooManyPasswordChecks'
  }
}

const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const HASH_BYTES = 32
const SALT_BYTES = 16
/** Two of the four threads that libuv has by default; files and DNS keep the others. */
const AT_ONCE_MAX = 2
/** About ten seconds of work; a flood of sign-ins must not fill the memory. */
const WAITING_MAX = 200

const derive = promisify(argon2)

/** Password hashing with a queue of its own. */
export function argon2Passwords(entropy: Entropy): Passwords {
  const limited = atMost(AT_ONCE_MAX, WAITING_MAX)
  const run = (password: string, parts: PhcParts): Promise<Buffer> =>
    limited(() =>
      derive('argon2id', {
        message: password.normalize('NFC'),
        nonce: parts.salt,
        parallelism: parts.lanes,
        tagLength: parts.hash.length,
        memory: parts.memoryKib,
        passes: parts.passes,
      }),
    )
  const fresh = (): PhcParts => ({
    memoryKib: MEMORY_KIB,
    passes: PASSES,
    lanes: LANES,
    salt: entropy(SALT_BYTES),
    hash: Buffer.alloc(HASH_BYTES),
  })
  return {
    async hash(password) {
      const parts = fresh()
      return phcText({ ...parts, hash: await run(password, parts) })
    },
    async verify(password, hash) {
      const parts = hash === null ? null : phcParts(hash)
      // Without a hash to compare with, the same work keeps the answer's time from telling who exists.
      const derived = await run(password, parts ?? fresh())
      return parts !== null && timingSafeEqual(derived, parts.hash)
    },
  }
}

interface PhcParts {
  readonly memoryKib: number
  readonly passes: number
  readonly lanes: number
  readonly salt: Buffer
  readonly hash: Buffer
}

const phcText = (parts: PhcParts): string =>
  `$argon2id$v=19$m=${parts.memoryKib},t=${parts.passes},p=${parts.lanes}$${unpadded(parts.salt)}$${unpadded(parts.hash)}`

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

function phcParts(text: string): PhcParts {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text)
  if (match === null) throw new TypeError('a stored password hash is not argon2id in PHC form')
  const [, memoryKib, passes, lanes, salt, hash] = match
  return {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt ?? '', 'base64'),
    hash: Buffer.from(hash ?? '', 'base64'),
  }
}

/** Runs at most `atOnce` tasks at a time and lets at most `waiting` more wait. */
function atMost(atOnce: number, waiting: number) {
  let running = 0
  const queue: (() => void)[] = []
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new TooManyPasswordChecks()
      // The task that ends hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running++
    }
    try {
      return await task()
    } finally {
      const next = queue.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
