import { z } from 'zod'

/**
 * A LedgerHead (seals.ts) as it is read back from a file or a request. `invalid` words the problem of a field, or of
 * all of it (null).
 */
export const headSchema = (invalid: (field: string | null) => string) => {
  const sha256 = (field: string) => z.string(invalid(field)).regex(/^[0-9a-f]{64}$/, invalid(field))
  const whole = (field: string, least: number) => z.int(invalid(field)).min(least, invalid(field))
  return z.object(
    {
      position: whole('position', 0).describe(
        'Everything up to this position of the log is covered',
      ),
      seal: whole('seal', 1).describe('Number of the seal, from 1'),
      root: sha256('root').describe('Root of the sealed events’ hashes: SHA-256, hexadecimal'),
      hash: sha256('hash').describe('Hash of the seal’s own event: SHA-256, hexadecimal'),
      at: z.string(invalid('at')).describe('When it was sealed, ISO 8601'),
    },
    invalid(null),
  )
}

/** The same, in the words of files and answers. */
export const exportedHead = headSchema((field) =>
  field === null ? 'it is no JSON object' : `its "${field}" is missing or is not what was exported`,
)
