import { createHmac } from 'node:crypto'

/** The same for the same master key, and nothing that would help to find it: keys are 32 random bytes. Lower-case hex. */
export const keyCheck = (masterKey: Buffer): string =>
  createHmac('sha256', masterKey).update('tollgate/backup/v1').digest('hex')
