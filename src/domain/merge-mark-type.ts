/**
 * The custom type of the entry that names the origin of the copies right after it. It names only entries of its own
 * session.
 */
export const mergeMarkType = 'merged_branch'
