/** The first pause between one attempt and the next, and the longest, in milliseconds. */
export interface BackOff {
  readonly firstMs: number
  readonly mostMs: number
}

/** The back-off for engines: one that comes back is noticed within two seconds. */
const ENGINE: BackOff = { firstMs: 50, mostMs: 2_000 }

/** How long to wait after the n-th failure in a row (from 1): doubling; 0 before any. */
export const backOffMs = (failures: number, { firstMs, mostMs }: BackOff = ENGINE): number =>
  failures <= 0 ? 0 : Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30))
