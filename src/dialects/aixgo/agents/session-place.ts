/**
 * The property with which a context carries its session. It is the same in every copy of this package on a page. It is
 * a symbol, so that the session is never part of JSON and conflicts with no other property.
 */
export const sessionPlace = Symbol.for('keepsession.session')
