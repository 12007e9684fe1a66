ALTER TABLE "access" VALIDATE CONSTRAINT "access_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "access_events" VALIDATE CONSTRAINT "access_events_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "recommended_assets" VALIDATE CONSTRAINT "recommended_assets_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "checkouts" VALIDATE CONSTRAINT "checkouts_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "purchases" VALIDATE CONSTRAINT "purchases_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "reviews" VALIDATE CONSTRAINT "reviews_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "seat_reservations" VALIDATE CONSTRAINT "seat_reservations_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "waitlist" VALIDATE CONSTRAINT "waitlist_product_id_products_id_fk";--> statement-breakpoint
ALTER TABLE "tv_scripts" VALIDATE CONSTRAINT "tv_scripts_product_id_products_id_fk";