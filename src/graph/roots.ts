/** Tags of nodes that something outside of the project's own code may call. */

/** Before what calls it, `framework_root:pytest_fixture`. */
export const ROOT_TAG = 'framework_root:'
/** Before the name of a base outside of the project, on the type that derives from it. */
export const EXTERNAL_BASE_TAG = 'external_base:'
