/** The custom type of the entry that says where the copies right after it were taken from. It names entries of its own session only. */
export const mergeMarkType = 'merged_branch'
