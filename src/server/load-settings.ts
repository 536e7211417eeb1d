/** Settings from the command line, a configuration file and the environment. */

import { readFileSync } from 'node:fs'
import type { Settings } from '#engine/brain'
import { resolveSettings, SettingsError } from '#engine/settings'

/** Throws `SettingsError` when the file cannot be read or a value does not fit. */
export function loadSettings(
  flags: Readonly<Record<string, unknown>>,
  configFile: string,
): { settings: Settings; warnings: string[] } {
  const file = configFile === '' ? {} : readJson(configFile)
  return resolveSettings({ flags, file, fileName: configFile, env: process.env })
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new SettingsError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
