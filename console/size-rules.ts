/** The part of Vite's manifest that the size check reads: files by the name of what they were built from. */
export type Manifest = Readonly<
  Record<string, { readonly file: string; readonly imports?: readonly string[] }>
>

/**
 * The files that a browser loads for some entries: their own and those that they import, each once. Entries are named
 * by the end of their source; one that is not there is a mistake in the check and throws.
 */
export function filesOf(manifest: Manifest, entries: readonly string[]): Set<string> {
  const files = new Set<string>()
  const seen = new Set<string>()
  const visit = (name: string): void => {
    const chunk = manifest[name]
    if (seen.has(name) || !chunk) return
    seen.add(name)
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  for (const entry of entries) visit(named(manifest, entry))
  return files
}

function named(manifest: Manifest, entry: string): string {
  const name = Object.keys(manifest).find((key) => key.includes(entry))
  if (name === undefined) throw new Error(`The build holds nothing named ${entry}.`)
  return name
}
