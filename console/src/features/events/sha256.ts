/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const ROUND_CONSTANTS = fractions(64, 3)
/** The same of the square roots of the first 8 (5.3.3). */
const INITIAL_HASH = fractions(8, 2)
const BLOCK_BYTES = 64

/** SHA-256 (FIPS 180-4) of bytes. WebCrypto, which browsers have of their own, is missing on plain HTTP. */
export function sha256(message: Uint8Array): Uint8Array {
  const hash = Uint32Array.from(INITIAL_HASH)
  const padded = paddedOf(message)
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) {
    addBlock(hash, new DataView(padded.buffer, at, BLOCK_BYTES))
  }
  const bytes = new Uint8Array(32)
  const view = new DataView(bytes.buffer)
  hash.forEach((word, index) => view.setUint32(index * 4, word))
  return bytes
}

/** The message, a one bit, zeros, and the message's length in bits: whole blocks. */
function paddedOf(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil((message.length + 9) / BLOCK_BYTES)
  const padded = new Uint8Array(blocks * BLOCK_BYTES)
  padded.set(message)
  padded[message.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n)
  return padded
}

function addBlock(hash: Uint32Array, block: DataView): void {
  const words = new Uint32Array(64)
  const word = (index: number): number => words[index] ?? 0
  for (let t = 0; t < 64; t += 1) {
    if (t < 16) {
      words[t] = block.getUint32(t * 4)
      continue
    }
    const [early, late] = [word(t - 15), word(t - 2)]
    const s0 = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const s1 = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    words[t] = word(t - 16) + s0 + word(t - 7) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let t = 0; t < 64; t += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const chosen = (e & f) ^ (~e & g)
    const first = (h + s1 + chosen + (ROUND_CONSTANTS[t] ?? 0) + word(t)) | 0
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + s0 + majority) | 0
  }
  for (const [index, part] of [a, b, c, d, e, f, g, h].entries()) {
    hash[index] = (hash[index] ?? 0) + part
  }
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** First 32 bits of the fractional parts of the roots of the first primes, by whole numbers, as floats have too few. */
function fractions(count: number, root: 2 | 3): readonly number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n += 1) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  }
  return primes.map((prime) =>
    Number(rootOf(BigInt(prime) << BigInt(32 * root), root) & 0xffffffffn),
  )
}

/** The largest whole number whose power is not above a value. */
function rootOf(value: bigint, power: 2 | 3): bigint {
  let [low, high] = [0n, 1n << 40n]
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (middle ** BigInt(power) <= value) low = middle
    else high = middle - 1n
  }
  return low
}
