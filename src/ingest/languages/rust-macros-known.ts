/** Macros that everybody knows: what their arguments are, and what they give. */

/** Macros whose argument is code of another place. */
export const QUOTING = new Set([
  'quote',
  'quote_spanned',
  'parse_quote',
  'parse_quote_spanned',
  'macro_rules',
  'stringify',
])
export const MATCHING = new Set(['matches', 'assert_matches', 'debug_assert_matches', 'assert_let'])
export const STOPPING = new Set([
  'panic',
  'todo',
  'unimplemented',
  'unreachable',
  'bail',
  'compile_error',
  'unreachable_unchecked',
])
export const TEXTUAL = new Set(['format', 'concat', 'stringify', 'env', 'include_str', 'file', 'module_path'])
export const TRUTHS = new Set(['matches', 'cfg', 'assert_matches'])
export const SAME_VALUE = new Set(['dbg', 'pin', 'black_box', 'const_format', 'identity'])
export const TRYING = new Set(['try', 'ready', 'try_ready', 'task_ready', 'assert_ok', 'assert_some', 'assert_ready'])
export const STD_MACROS = new Set(
  'println print eprintln eprint format write writeln panic assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne vec todo unimplemented unreachable matches concat stringify include include_str include_bytes env option_env line column file module_path cfg compile_error dbg thread_local macro_rules format_args try'.split(
    ' ',
  ),
)
