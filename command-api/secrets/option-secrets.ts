import type { Pool } from 'pg'
import type { Vault } from './vault.ts'

/** Texts of secret options; the event of their change carries no value. */
export interface OptionSecrets {
  put(key: string, text: string): Promise<void>
  /** Null when never set. */
  get(key: string): Promise<string | null>
  all(): Promise<ReadonlyMap<string, string>>
}

/** Option secrets in `secrets.options`. */
export function optionSecrets(pool: Pool, vault: Vault): OptionSecrets {
  const opened = (row: OptionRow): [string, string] => [
    row.key,
    vault.open('option', row.ciphertext),
  ]
  return {
    async put(key, text) {
      await pool.query(
        `insert into secrets.options (key, ciphertext) values ($1, $2)
         on conflict (key) do update set ciphertext = excluded.ciphertext`,
        [key, vault.seal('option', text)],
      )
    },
    async get(key) {
      const { rows } = await pool.query<OptionRow>(
        `select key, ciphertext from secrets.options where key = $1`,
        [key],
      )
      return rows[0] === undefined ? null : opened(rows[0])[1]
    },
    async all() {
      const { rows } = await pool.query<OptionRow>(`select key, ciphertext from secrets.options`)
      return new Map(rows.map(opened))
    },
  }
}

interface OptionRow {
  readonly key: string
  readonly ciphertext: Buffer
}
