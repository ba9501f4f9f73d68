/** The pages for users whose commands take long. */
import { SLOW_PAGES, testPages } from './run-pages';

testPages(SLOW_PAGES);
