import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BackupFailure } from './failure.ts'

const name = z.string().regex(/^[a-z_]+$/)

const manifest = z.object({
  format: z.literal(1),
  /** Version of the Tollgate that wrote it. */
  tollgate: z.string().regex(/^\d+\.\d+\.\d+/),
  /** ISO 8601. */
  takenAt: z.iso.datetime(),
  /** Position of the newest event; −1 for an empty log. */
  headPosition: z.int().min(-1),
  /** The log that the rows go with, when it is not part of the backup, and its newest event then. */
  log: z
    .object({
      /** Its timelines, the newest one last. */
      timelines: z.array(z.uuid()).min(1),
      position: z.int().min(0),
      stream: z.string(),
      revision: z.int().min(0),
      hash: z.string().regex(/^[0-9a-f]{64}$/),
    })
    .nullable()
    .default(null),
  key: z.object({
    /** Whether `master.key` is part of the backup. */
    isIncluded: z.boolean(),
    /** Tells whether a key is the one that the secrets were sealed with; says nothing about it. */
    check: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  /** Migrations that had run on the database, in order. */
  migrations: z.array(z.object({ id: z.string(), sha256: z.string() })),
  tables: z.array(
    z.object({
      /** With its schema. */
      name: z.string().regex(/^[a-z_]+\.[a-z_]+$/),
      columns: z.array(name).min(1),
      rows: z.int().min(0),
    }),
  ),
  /** State of the sequences of generated ids, so that none is given twice. */
  sequences: z.array(
    z.object({ table: z.string(), column: name, lastValue: z.int(), isCalled: z.boolean() }),
  ),
})

/** The content of `manifest.json` in a backup. */
export type Manifest = z.output<typeof manifest>
export type ManifestTable = Manifest['tables'][number]
/** The log of a backup that does not hold it, as of the moment when the backup was taken. */
export type SavedLog = NonNullable<Manifest['log']>

export const MANIFEST_FILE = 'manifest.json'
export const KEY_FILE = 'master.key'
export const FORMAT = 1

/** Rows of one table in PostgreSQL's COPY text format, compressed. */
export const tableFile = (table: string): string => `${table}.copy.gz`

/** Reads a backup's manifest. Throws NO_BACKUP, BACKUP_DAMAGED or, for a format of later, BACKUP_TOO_NEW. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch((error: unknown) => {
    throw new BackupFailure(
      'NO_BACKUP',
      `${folder} is no backup (it has no ${MANIFEST_FILE}): name the folder that \`npm run backup\` wrote`,
      error,
    )
  })
  const found = parsed(text)
  const format = z.object({ format: z.int() }).safeParse(found).data?.format
  if (format !== undefined && format > FORMAT) {
    throw new BackupFailure(
      'BACKUP_TOO_NEW',
      `${folder} has format ${format}, and this Tollgate reads format ${FORMAT}: restore it with the Tollgate that wrote it, or a later one`,
    )
  }
  const checked = manifest.safeParse(found)
  if (checked.success) return checked.data
  throw new BackupFailure(
    'BACKUP_DAMAGED',
    `${MANIFEST_FILE} in ${folder} is not what was written: use another copy of the backup`,
    checked.error,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Told by the check that follows.
    return null
  }
}
