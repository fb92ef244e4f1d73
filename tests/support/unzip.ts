import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'

/** The files of a ZIP as text, by their names; fails on an archive that is broken off. */
export async function unzip(archive: Buffer): Promise<ReadonlyMap<string, string>> {
  const zip = await fromBufferPromise(archive)
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry))
    files.set(entry.fileName, bytes.toString('utf8'))
  }
  return files
}
