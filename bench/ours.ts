/** The name of this package in the tables. */
export const ours = 'keepsession'
