import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import type { LaunchOptions } from 'playwright-core'

/** Names of Chromium and its relatives, in the order of preference. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const
/** Names of Chromium without the windows around its pages. */
const SHELLS = ['chromium-headless-shell', 'chrome-headless-shell'] as const
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
  return [...pathsOf(NAMES, env), ...APPLICATIONS].find(isExecutable) ?? null
}

/**
 * Path of a Chromium without windows: for each context the whole browser draws a window that nobody sees, which takes
 * more of the processor than most pages. Null when there is none, or when CHROMIUM_PATH names what is to be driven.
 */
export const findHeadlessShell = (env: NodeJS.ProcessEnv): string | null =>
  env['CHROMIUM_PATH'] ? null : (pathsOf(SHELLS, env).find(runs) ?? null)

function pathsOf(names: readonly string[], env: NodeJS.ProcessEnv): readonly string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name)))
}

export const NO_CHROMIUM =
  'No Chromium found: install it or set CHROMIUM_PATH; `npm test` sees to it'

/** How the whole Chromium that is found is started, without a screen; throws when there is none. */
export const chromiumOptions = (): LaunchOptions => startOf(findChromium(process.env))

/** How tests' Chromium is started, which has hundreds of contexts: without windows where that can be had. */
export const windowlessChromiumOptions = (): LaunchOptions =>
  startOf(findHeadlessShell(process.env) ?? findChromium(process.env), [BASELINE_COMPILER_ONLY])

/** A test's page lives for seconds: to optimise its code takes up to a fifth of its processor time and pays off later. */
const BASELINE_COMPILER_ONLY = '--js-flags=--no-opt --no-maglev'

function startOf(executablePath: string | null, args: readonly string[] = []): LaunchOptions {
  if (executablePath === null) throw new Error(NO_CHROMIUM)
  // The sandbox needs rights that containers and root do not have; only our own pages are opened.
  return { executablePath, args: ['--no-sandbox', ...args] }
}

/** Packages of it may lack libraries that the whole Chromium brings. */
const runs = (path: string): boolean =>
  isExecutable(path) && spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Any reason not to be runnable (missing, not allowed) means the same here: look further.
    return false
  }
}
