/** All languages that have a module of their own. */

import type { Language } from '#ingest/source'
import { bash } from '#ingest/languages/bash'
import { c, cpp } from '#ingest/languages/c'
import { csharp } from '#ingest/languages/csharp'
import { generic } from '#ingest/languages/generic'
import { go } from '#ingest/languages/go'
import { java } from '#ingest/languages/java'
import { kotlin } from '#ingest/languages/kotlin'
import { lua } from '#ingest/languages/lua'
import { php } from '#ingest/languages/php'
import { python } from '#ingest/languages/python'
import { ruby } from '#ingest/languages/ruby'
import { rust } from '#ingest/languages/rust'
import { scala } from '#ingest/languages/scala'
import { swift } from '#ingest/languages/swift'
import { javascript, tsx, typescript } from '#ingest/languages/typescript'

export const LANGUAGES: readonly Language[] = [
  python,
  typescript,
  tsx,
  javascript,
  go,
  rust,
  java,
  c,
  cpp,
  csharp,
  kotlin,
  swift,
  scala,
  php,
  ruby,
  bash,
  lua,
  generic,
]
