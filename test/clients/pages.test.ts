/** The pages that show clients: their packages are those of this folder. */
import { CLIENT_PAGES } from '../docs/pages';
import { testPages } from '../docs/run-pages';

testPages(CLIENT_PAGES);
