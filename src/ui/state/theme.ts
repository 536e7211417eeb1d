/** Light or dark: as the system has it, until somebody chooses. */

import { signal } from '@preact/signals'

const KEY = 'm1nd-theme'
export type Theme = 'system' | 'light' | 'dark'

export const theme = signal<Theme>(read())
/** Grows when the colours that are seen have changed, also by the system. */
export const colours = signal(0)

export function setTheme(to: Theme): void {
  localStorage.setItem(KEY, to)
  theme.value = to
  apply()
}

export function applyTheme(): void {
  apply()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => colours.value++)
}

function apply(): void {
  document.documentElement.dataset.theme = theme.peek()
  colours.value++
}

function read(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
