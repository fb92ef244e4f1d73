import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What Chromium and its relatives are called, in the order of preference. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const
/** Where macOS keeps applications that are not on PATH. */
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
] as const

/**
 * Path of a Chromium to drive: CHROMIUM_PATH when set, else the first known name on PATH; null when there is none.
 * Throws when CHROMIUM_PATH names something that cannot be run: a wrong setting is never passed over.
 */
export function findChromium(env: NodeJS.ProcessEnv): string | null {
  const chosen = env['CHROMIUM_PATH']
  if (chosen) {
    if (isExecutable(chosen)) return chosen
    throw new Error(`CHROMIUM_PATH is ${chosen}, which is not a program that can be run`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...candidates, ...APPLICATIONS].find(isExecutable) ?? null
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Any reason not to be runnable (missing, not allowed) means the same here: look further.
    return false
  }
}
