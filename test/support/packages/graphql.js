/** The copy that the program uses (one-realm.js). */
module.exports = globalThis[Symbol.for('andiron.require')]('graphql');
