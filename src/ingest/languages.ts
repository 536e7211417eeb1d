/** All languages that have a module of their own. */

import type { Language } from '#ingest/source'
import { generic } from '#ingest/languages/generic'
import { go } from '#ingest/languages/go'
import { python } from '#ingest/languages/python'
import { rust } from '#ingest/languages/rust'
import { javascript, tsx, typescript } from '#ingest/languages/typescript'

export const LANGUAGES: readonly Language[] = [python, typescript, tsx, javascript, go, rust, generic]
