import { SecretUnreadable, type Vault } from '@tollgate/command-api/secrets/vault.ts'
import type { Sealing } from '@tollgate/relay/stored-responses/response-ids.ts'

/** Seals ids of stored responses under the master key, which all processes share. */
export const responseSealing = (vault: Pick<Vault, 'seal' | 'open'>): Sealing => ({
  seal: (text) => vault.seal('response-id', text).toString('base64url'),
  open(sealed) {
    const bytes = Buffer.from(sealed, 'base64url')
    // An id has one form: what a decoder skips would make others of it.
    if (bytes.toString('base64url') !== sealed) return null
    try {
      return vault.open('response-id', bytes)
    } catch (error) {
      // Somebody made it up, or another installation gave it out.
      if (error instanceof SecretUnreadable) return null
      throw error
    }
  },
})
