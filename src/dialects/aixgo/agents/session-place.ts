/**
 * Where a context carries its session. The same in every copy of this package on a page, and a symbol, so that the
 * session is in nobody's JSON and takes nobody's name.
 */
export const sessionPlace = Symbol.for('keepsession.session')
