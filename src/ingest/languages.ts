/** All languages that have a module of their own. */

import type { Language } from '#ingest/source'
import { generic } from '#ingest/languages/generic'
import { python } from '#ingest/languages/python'
import { javascript, tsx, typescript } from '#ingest/languages/typescript'

export const LANGUAGES: readonly Language[] = [python, typescript, tsx, javascript, generic]
