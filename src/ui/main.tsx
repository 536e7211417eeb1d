/** Starts the page. */

import { render } from 'preact'
import { App } from './app.tsx'
import { listenForKeys } from './state/keys.ts'
import { follow } from './state/live.ts'
import { followLinks } from './state/route.ts'
import { applyTheme } from './state/theme.ts'

const page = document.getElementById('page')
if (page !== null) {
  applyTheme()
  followLinks(page)
  listenForKeys()
  render(<App />, page)
  void follow()
}
