/** The start of a program: node's options, the script and its arguments, and the environment. */
export interface Started {
  readonly execPath: string
  readonly execArgv: readonly string[]
  /** node, the script, its arguments. */
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/**
 * Memory for objects that live shortly, in MiB for each thread. By default it grows to 64 MiB in each of the demo's
 * three threads, most of it empty.
 */
const YOUNG_MIB = '--max-semi-space-size=4'
/** glibc keeps up to eight heaps per core, each with the freed memory of its own threads. */
const HEAPS = { MALLOC_ARENA_MAX: '2' }

/**
 * The arguments (the program's name first) and environment that make the same program use less memory. Both can be
 * given at the start of a process only. Null when it was started with them.
 */
export function smallMemory(
  started: Started,
): { readonly args: string[]; readonly env: NodeJS.ProcessEnv } | null {
  const { execPath, execArgv, argv, env } = started
  if (execArgv.includes(YOUNG_MIB)) return null
  return {
    args: [execPath, ...execArgv, YOUNG_MIB, ...argv.slice(1)],
    env: { ...HEAPS, ...env },
  }
}
