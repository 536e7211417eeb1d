/** All languages that have a module of their own. */

import type { Language } from '#ingest/source'
import { c, cpp } from '#ingest/languages/c'
import { generic } from '#ingest/languages/generic'
import { go } from '#ingest/languages/go'
import { java } from '#ingest/languages/java'
import { python } from '#ingest/languages/python'
import { rust } from '#ingest/languages/rust'
import { javascript, tsx, typescript } from '#ingest/languages/typescript'

export const LANGUAGES: readonly Language[] = [python, typescript, tsx, javascript, go, rust, java, c, cpp, generic]
