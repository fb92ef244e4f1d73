import { z } from 'zod'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256 in hex')

/** A LedgerHead (seals.ts) as it comes back from where it was kept: a file, a request. */
export const exportedHead = z.object({
  position: z.int().min(0),
  seal: z.int().min(1),
  root: sha256,
  hash: sha256,
  at: z.string(),
})
