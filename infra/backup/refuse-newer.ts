import { fingerprintOf } from '../postgres/migrate.ts'
import { sourceMigrations } from '../postgres/source-migrations.ts'
import { BackupFailure } from './failure.ts'
import type { Manifest } from './manifest.ts'
import { isSavedTable } from './saved-tables.ts'

/** Throws BACKUP_TOO_NEW for a backup of a later Tollgate: its tables or its events may say what this one cannot read. */
export function refuseNewer(manifest: Manifest, version: string): void {
  const known = new Map(sourceMigrations.map((one) => [one.id, fingerprintOf(one)]))
  const unknown = manifest.migrations.find(({ id, sha256 }) => known.get(id) !== sha256)
  const table = manifest.tables.find(({ name }) => !isSavedTable(name))
  const obstacle = isLater(manifest.tollgate, version)
    ? `it was written by version ${manifest.tollgate}`
    : unknown !== undefined
      ? `its tables have gone through ${unknown.id}, which this version does not know in that form`
      : table !== undefined
        ? `it holds ${table.name}, which this version does not know`
        : null
  if (obstacle === null) return
  throw new BackupFailure(
    'BACKUP_TOO_NEW',
    `Tollgate ${version} cannot restore this backup: ${obstacle}. Restore it with the Tollgate that wrote it, or a later one`,
  )
}

/** Whether `a` comes after `b`, by the numbers of `major.minor.patch`. */
function isLater(a: string, b: string): boolean {
  const [numbersA, numbersB] = [a, b].map((version) => version.split(/[.+-]/).map(Number))
  for (const place of [0, 1, 2]) {
    const difference = (numbersA?.[place] ?? 0) - (numbersB?.[place] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
