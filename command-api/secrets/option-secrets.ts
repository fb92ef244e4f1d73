import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { noRow } from '../statements.ts'
import type { Vault } from './vault.ts'

/** Texts of secret options; the event of their change carries no value. */
export interface OptionSecrets {
  put(key: string, text: string): Promise<void>
  /** Null when never set. */
  get(key: string): Promise<string | null>
  all(): Promise<ReadonlyMap<string, string>>
}

/** Option secrets in `secrets.options`. */
export function optionSecrets(db: CommonQueryMethods, vault: Vault): OptionSecrets {
  return {
    async put(key, text) {
      await db.query(sql.type(noRow)`
        insert into secrets.options (key, ciphertext)
        values (${key}, ${sql.binary(vault.seal('option', text))})
        on conflict (key) do update set ciphertext = excluded.ciphertext`)
    },
    async get(key) {
      const ciphertext = await db.maybeOneFirst(sql.type(optionRow.pick({ ciphertext: true }))`
        select ciphertext from secrets.options where key = ${key}`)
      return ciphertext && vault.open('option', ciphertext)
    },
    async all() {
      const rows = await db.any(sql.type(optionRow)`select key, ciphertext from secrets.options`)
      return new Map(rows.map(({ key, ciphertext }) => [key, vault.open('option', ciphertext)]))
    },
  }
}

const optionRow = z.object({ key: z.string(), ciphertext: z.instanceof(Buffer) })
